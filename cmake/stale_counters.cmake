# Removes coverage counters of objects that were compiled since: gcov's runtime complains about
# them on standard error, which tests compare. Run by ctest before the tests, in the build directory.
file(GLOB_RECURSE counters *.gcda)
foreach(file ${counters})
	string(REGEX REPLACE "gcda$" "gcno" notes ${file})
	if(${notes} IS_NEWER_THAN ${file})
		file(REMOVE ${file})
	endif()
endforeach()
