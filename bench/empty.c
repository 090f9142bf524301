/*
 * A program that does nothing, linked like tt_smi: what the kernel and the C library take to start
 * it and to end it is part of every output of tt_smi.
 */
int main(void)
{
	return 0;
}
