/* The sections of the page, in their order. To add one: a file in views/, and its line here.
 * A view is {id, title, shows(model), draw(model, section)}. `shows` tells whether the view has content; `draw` appends
 * the content to the section. The title is a text, or (model) => text. */
import { bottlenecks } from "./views/bottlenecks.js";
import { calibration } from "./views/calibration.js";
import { changes } from "./views/changes.js";
import { flame } from "./views/flame.js";
import { flameChange } from "./views/flame_change.js";
import { fleet } from "./views/fleet.js";
import { guide } from "./views/guide.js";
import { history } from "./views/history.js";
import { historyRows } from "./views/history_rows.js";
import { machines } from "./views/machines.js";
import { memory } from "./views/memory.js";
import { operations } from "./views/operations.js";
import { parts } from "./views/parts.js";
import { roofline } from "./views/roofline.js";
import { sideBySide } from "./views/side_by_side.js";
import { statistics } from "./views/statistics.js";
import { suggestions } from "./views/suggestions.js";
import { sweeps } from "./views/sweeps.js";
import { timeline } from "./views/timeline.js";
import { trend } from "./views/trend.js";
import { verdict } from "./views/verdict.js";
import { whyChanged } from "./views/why_changed.js";

export const views = [verdict, changes, whyChanged, fleet, calibration, statistics, suggestions, bottlenecks, operations, parts, flameChange, flame, timeline, roofline, sweeps, sideBySide, trend, historyRows, history, memory, machines, guide];
