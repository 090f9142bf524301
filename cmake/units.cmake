# tt_install_unit(NAME) installs systemd/NAME.in with the directory of the programs inserted. This
# happens at installation time, since the prefix may be given only then.
function(tt_install_unit name)
	set(made ${CMAKE_BINARY_DIR}/systemd/${name})
	install(CODE "
		set(bindir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
		configure_file(\"${CMAKE_SOURCE_DIR}/systemd/${name}.in\" \"${made}\" @ONLY)")
	install(FILES ${made} DESTINATION lib/systemd/system)
endfunction()
