# Removes coverage counters of objects that were recompiled: gcov's runtime would print warnings
# on standard error, which tests compare. Run by ctest before the tests, in the build directory.
file(GLOB_RECURSE counters *.gcda)
foreach(file ${counters})
	string(REGEX REPLACE "gcda$" "gcno" notes ${file})
	if(${notes} IS_NEWER_THAN ${file})
		file(REMOVE ${file})
	endif()
endforeach()
