/* Passwords of tt_smi serve: the file of users, the cache, the ration of attempts. */
#include "basic/clock.h"
#include "serve/attempts.h"
#include "serve/password_cache.h"
#include "serve/users.h"
#include "unit.h"

#include <arpa/inet.h>
#include <crypt.h>
#include <netinet/in.h>
#include <stdio.h>

/* A line as htpasswd -B writes it; the password is "secret", the cost 5. */
#define ALICE "alice:$2y$05$uO.SPTNN3vRzdG2b16gAQuMjuZEMh86CPyEr9D1kb5Vhrm1bdjg/O\n"

/* A hash at a cost, made by libcrypt. */
static void put_hash(struct buf *out, const char *name, const char *password, const char *setting)
{
	struct crypt_data data = { 0 };

	buf_printf(out, "%s:%s\n", name, crypt_r(password, setting, &data));
}

TEST(right_passwords_are_accepted_and_no_others)
{
	CLEANUP_BUF struct buf text = { 0 }, why = { 0 };
	struct auth_users *users;

	buf_puts(&text, "# a comment\n\n" ALICE);
	put_hash(&text, "bob", "b", "$2b$06$abcdefghijklmnopqrstuu");
	users = auth_users_parse("users", buf_text(&text), &why);
	assert_non_null(users);
	assert_true(auth_users_verify(users, "alice", "secret"));
	assert_true(auth_users_verify(users, "bob", "b"));
	assert_false(auth_users_verify(users, "alice", "b"));
	assert_false(auth_users_verify(users, "alice", ""));
	assert_false(auth_users_verify(users, "alice", "secret "));
	assert_false(auth_users_verify(users, "bob", "secret"));
	assert_false(auth_users_verify(users, "carol", "secret"));
	assert_false(auth_users_verify(users, "", ""));
	auth_users_unref(users);
}

TEST(a_file_with_a_bad_line_is_refused_as_a_whole)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "users: it has no users" },
		{ "# nobody\n", "users: it has no users" },
		{ ALICE ALICE, "users:2: this user is listed twice" },
		{ ALICE "bob\n", "users:2: not NAME:HASH" },
		{ ALICE "\n:$2y$05$uO.SPTNN3vRzdG2b16gAQuMjuZEMh86CPyEr9D1kb5Vhrm1bdjg/O",
		  "users:3: not NAME:HASH" },
		{ "bob:secret\n", "users:1: not a hash of bcrypt; use: htpasswd -B" },
		{ "bob:$apr1$nRZ1Qy3j$Xa9PYHb9Rk0/SXdYg1cIL1\n",
		  "users:1: not a hash of bcrypt; use: htpasswd -B" },
		{ "bob:$2y$05$uO.SPTNN3vRzdG2b16gAQuMjuZEMh86CPyEr9D1kb5Vhrm1bdjg/\n",
		  "users:1: not a hash of bcrypt; use: htpasswd -B" },
		{ "bob:$2y$31$uO.SPTNN3vRzdG2b16gAQuMjuZEMh86CPyEr9D1kb5Vhrm1bdjg/O\n",
		  "users:1: the cost of its hash is not from 4 to 14" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CLEANUP_BUF struct buf why = { 0 };

		assert_null(auth_users_parse("users", cases[i].text, &why));
		assert_string_equal(buf_text(&why), cases[i].why);
	}
}

/* The number of rounds of all calls of crypt_r(), which the linker redirects. */
static uint64_t rounds;

char *__real_crypt_r(const char *phrase, const char *setting, struct crypt_data *data);
char *__wrap_crypt_r(const char *phrase, const char *setting, struct crypt_data *data);
char *__wrap_crypt_r(const char *phrase, const char *setting, struct crypt_data *data)
{
	char *result = __real_crypt_r(phrase, setting, data);

	assert_true(result && result[0] == '$'); /* "*0": it was not computed */
	rounds += UINT64_C(1) << ((setting[4] - '0') * 10 + setting[5] - '0');
	return result;
}

static uint64_t rounds_of(const struct auth_users *users, const char *name, const char *password)
{
	rounds = 0;
	assert_false(auth_users_verify(users, name, password));
	return rounds;
}

TEST(an_unknown_user_costs_what_a_wrong_password_costs)
{
	CLEANUP_BUF struct buf text = { 0 }, why = { 0 };
	struct auth_users *users;

	buf_puts(&text, ALICE);
	put_hash(&text, "bob", "b", "$2b$08$abcdefghijklmnopqrstuu");
	put_hash(&text, "carol", "c", "$2a$07$abcdefghijklmnopqrstuu");
	users = auth_users_parse("users", buf_text(&text), &why);
	assert_non_null(users);
	assert_int_equal(rounds_of(users, "bob", "x"), 256);
	assert_int_equal(rounds_of(users, "alice", "x"), 256);
	assert_int_equal(rounds_of(users, "carol", "x"), 256);
	assert_int_equal(rounds_of(users, "dave", "x"), 256);
	auth_users_unref(users);
}

static struct credential credential_of(const struct password_cache *cache, const char *name,
				       const char *password)
{
	struct credential credential;

	assert_true(password_cache_hash(cache, name, password, &credential));
	return credential;
}

TEST(the_cache_forgets_what_is_not_used)
{
	struct password_cache cache, other;
	struct credential one, two;
	int64_t now = 1000 * NS_PER_S;

	assert_int_equal(password_cache_init(&cache), 0);
	one = credential_of(&cache, "ab", "c");
	two = credential_of(&cache, "a", "bc");
	assert_memory_not_equal(&one, &two, sizeof(one));
	assert_false(password_cache_has(&cache, &one, now));
	password_cache_add(&cache, &one, now);
	assert_true(password_cache_has(&cache, &one, now + 599 * NS_PER_S));
	assert_false(password_cache_has(&cache, &two, now));
	assert_true(password_cache_has(&cache, &one, now + 1198 * NS_PER_S));
	assert_false(password_cache_has(&cache, &one, now + 1798 * NS_PER_S));
	assert_int_equal(password_cache_init(&other), 0);
	two = credential_of(&other, "ab", "c");
	assert_memory_not_equal(&one, &two, sizeof(one));
}

TEST(a_password_that_was_right_is_verified_again_one_at_a_time)
{
	struct password_cache cache;
	struct credential right, wrong;

	assert_int_equal(password_cache_init(&cache), 0);
	right = credential_of(&cache, "a", "right");
	wrong = credential_of(&cache, "a", "wrong");
	password_cache_add(&cache, &right, 1000);
	password_cache_reload(&cache);
	assert_false(password_cache_has(&cache, &right, 1001));
	assert_false(password_cache_retry(&cache, &wrong));
	assert_true(password_cache_retry(&cache, &right));
	assert_false(password_cache_retry(&cache, &right));
	password_cache_release(&cache, &right); /* the users were reloaded meanwhile */
	assert_true(password_cache_retry(&cache, &right));
	password_cache_add(&cache, &right, 1002);
	assert_true(password_cache_has(&cache, &right, 1003));
	password_cache_reload(&cache);
	assert_true(password_cache_retry(&cache, &right));
	password_cache_drop(&cache, &right); /* no longer right */
	assert_false(password_cache_has(&cache, &right, 1004));
	assert_false(password_cache_retry(&cache, &right));
}

TEST(an_empty_cache_has_nothing_not_even_zeros)
{
	struct password_cache cache;
	struct credential zero = { { 0 } };

	assert_int_equal(password_cache_init(&cache), 0);
	assert_false(password_cache_has(&cache, &zero, 1));
	assert_false(password_cache_retry(&cache, &zero));
}

TEST(a_full_cache_replaces_the_one_unused_for_longest)
{
	struct password_cache cache;
	struct credential list[CACHED_PASSWORDS + 1];

	assert_int_equal(password_cache_init(&cache), 0);
	for (int i = 0; i < CACHED_PASSWORDS + 1; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		list[i] = credential_of(&cache, name, "x");
		password_cache_add(&cache, &list[i], 1000 + i);
		if (i == 1) /* used again, so the next one is the oldest */
			assert_true(password_cache_has(&cache, &list[0], 1500));
	}
	assert_true(password_cache_has(&cache, &list[0], 2000));
	assert_false(password_cache_has(&cache, &list[1], 2000));
	for (int i = 2; i < CACHED_PASSWORDS + 1; i++)
		assert_true(password_cache_has(&cache, &list[i], 2000));
}

static struct address_key source_of(const char *text)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return address_key_of((const struct sockaddr *)&v4);
	assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
	return address_key_of((const struct sockaddr *)&v6);
}

static bool same_source(const char *a, const char *b)
{
	struct address_key one = source_of(a), other = source_of(b);

	return memcmp(&one, &other, sizeof(one)) == 0;
}

TEST(addresses_of_one_machine_share_a_rate_limit)
{
	assert_true(same_source("192.0.2.1", "::ffff:192.0.2.1"));
	assert_false(same_source("192.0.2.1", "192.0.2.2"));
	assert_true(same_source("2001:db8:0:1::1", "2001:db8:0:1:ffff::9"));
	assert_false(same_source("2001:db8:0:1::1", "2001:db8:0:2::1"));
	assert_false(same_source("::1", "192.0.2.1"));
}

/* Wrong passwords that are verified at once. */
static unsigned attempts_until_refused(struct attempt_table *table,
				       const struct address_key *source, int64_t now)
{
	unsigned count = 0;

	while (attempts_begin(table, source, now) == ATTEMPT_ALLOWED) {
		attempts_end(table, source, false);
		count++;
		assert_true(count < 1000);
	}
	return count;
}

TEST(an_address_has_ten_attempts_and_one_more_each_five_seconds)
{
	struct attempt_table table = { 0 };
	struct address_key one = source_of("192.0.2.1"), other = source_of("192.0.2.2");
	int64_t now = 1000 * NS_PER_S;

	for (int i = 0; i < ATTEMPTS_AT_ONCE; i++) {
		assert_int_equal(attempts_begin(&table, &one, now), ATTEMPT_ALLOWED);
		attempts_end(&table, &one, false);
	}
	assert_int_equal(attempts_begin(&table, &one, now), ATTEMPT_FIRST_REFUSED);
	assert_int_equal(attempts_begin(&table, &one, now), ATTEMPT_TOO_MANY);
	assert_int_equal(attempts_until_refused(&table, &one, now + 5 * NS_PER_S), 1);
	assert_int_equal(attempts_until_refused(&table, &one, now + 20 * NS_PER_S), 3);
	assert_int_equal(attempts_until_refused(&table, &other, now), 10);
	assert_int_equal(attempts_until_refused(&table, &one, now + 3600 * NS_PER_S), 10);
	attempts_done(&table);
}

TEST(right_passwords_are_not_counted_and_four_may_wait)
{
	struct attempt_table table = { 0 };
	struct address_key one = source_of("2001:db8::1");

	for (int i = 0; i < 100; i++) {
		assert_int_equal(attempts_begin(&table, &one, 1), ATTEMPT_ALLOWED);
		attempts_end(&table, &one, true);
	}
	for (int i = 0; i < ATTEMPTS_PENDING; i++)
		assert_int_equal(attempts_begin(&table, &one, 1), ATTEMPT_ALLOWED);
	assert_int_equal(attempts_begin(&table, &one, 1), ATTEMPT_TOO_MANY);
	attempts_end(&table, &one, true);
	assert_int_equal(attempts_begin(&table, &one, 1), ATTEMPT_ALLOWED);
	attempts_done(&table);
}

TEST(the_table_of_addresses_is_bounded_and_empties_itself)
{
	struct attempt_table table = { 0 };
	int64_t now = 1000 * NS_PER_S;
	unsigned allowed = 0;

	for (unsigned i = 0; i < 3000; i++) {
		struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(i) } };
		struct address_key source = address_key_of((const struct sockaddr *)&address);

		if (attempts_begin(&table, &source, now) != ATTEMPT_ALLOWED)
			continue;
		attempts_end(&table, &source, false);
		allowed++;
	}
	assert_int_equal(allowed, ATTEMPT_ADDRESSES);
	assert_int_equal(table.addresses.count, ATTEMPT_ADDRESSES);
	struct address_key one = source_of("192.0.2.1");

	assert_int_equal(attempts_until_refused(&table, &one, now + 6 * NS_PER_S), 10);
	assert_int_equal(table.addresses.count, 1);
	attempts_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_passwords_are_accepted_and_no_others),
		cmocka_unit_test(a_file_with_a_bad_line_is_refused_as_a_whole),
		cmocka_unit_test(an_unknown_user_costs_what_a_wrong_password_costs),
		cmocka_unit_test(the_cache_forgets_what_is_not_used),
		cmocka_unit_test(a_password_that_was_right_is_verified_again_one_at_a_time),
		cmocka_unit_test(an_empty_cache_has_nothing_not_even_zeros),
		cmocka_unit_test(a_full_cache_replaces_the_one_unused_for_longest),
		cmocka_unit_test(addresses_of_one_machine_share_a_rate_limit),
		cmocka_unit_test(an_address_has_ten_attempts_and_one_more_each_five_seconds),
		cmocka_unit_test(right_passwords_are_not_counted_and_four_may_wait),
		cmocka_unit_test(the_table_of_addresses_is_bounded_and_empties_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
