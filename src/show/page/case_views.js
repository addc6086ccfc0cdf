/* The parts of one case's section, in their order. To add a part: a file in views/, and its line here.
 * A part is {shows(one, model), draw(one, model, section)}: `one` is a case of model.js. */
import { caseCommands } from "./views/case_commands.js";
import { caseRounds } from "./views/case_rounds.js";
import { caseFacts } from "./views/case_facts.js";
import { caseMetrics } from "./views/case_metrics.js";
import { caseProfile } from "./views/case_profile.js";
import { caseSuggestions } from "./views/case_suggestions.js";
import { caseHistory } from "./views/history.js";
import { caseTrend } from "./views/trend.js";
import { caseWhy } from "./views/why_changed.js";

export const caseViews = [caseMetrics, caseWhy, caseRounds, caseTrend, caseHistory, caseSuggestions, caseProfile, caseFacts, caseCommands];
