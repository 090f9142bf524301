/* metal_run: a program that is linked with the library. */
int double_run(int argc, char **argv);

int main(int argc, char **argv)
{
	return double_run(argc - 1, argv + 1);
}
