# tt_layer(NAME DEPENDS other…) defines the static library of one folder. DEPENDS lists all
# folders that this one may use: tests/layers.sh compares the #include lines with it.
function(tt_layer name)
	cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS *.c)
	add_library(tt_${name} STATIC ${sources})
	foreach(dependency ${arg_DEPENDS})
		target_link_libraries(tt_${name} PUBLIC tt_${dependency})
	endforeach()
	set_property(GLOBAL APPEND PROPERTY TT_LAYERS "${name}:${arg_DEPENDS}")
endfunction()
