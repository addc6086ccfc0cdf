# The optional parts of a build. The last line of configure names those that this build lacks, with the reason.

# A part that this build lacks: `name` and the reason.
function(kgate_part_missing name reason)
  set_property(GLOBAL APPEND PROPERTY KGATE_PARTS_MISSING "${name} (${reason})")
endfunction()

# Sets `result` to the line.
function(kgate_parts_line result)
  get_property(missing GLOBAL PROPERTY KGATE_PARTS_MISSING)
  if(missing)
    list(JOIN missing "; " missing)
    set(${result} "kgate is built without: ${missing}" PARENT_SCOPE)
  else()
    set(${result} "kgate is built with all its parts: CUDA and the HTML page" PARENT_SCOPE)
  endif()
endfunction()
