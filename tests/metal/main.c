/* metal_run: the library as a program links it. */
int double_run(int argc, char **argv);

int main(int argc, char **argv)
{
	return double_run(argc - 1, argv + 1);
}
