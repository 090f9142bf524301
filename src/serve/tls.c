#include "serve/tls.h"

#include "serve/secret_file.h"

#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

const char tls_priorities[] = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:"
			      "+ECDHE-RSA:-MAC-ALL:+AEAD:%SERVER_PRECEDENCE";

struct tls_identity {
	gnutls_x509_crt_t *certs; /* the server's first, its issuers after it */
	unsigned count;
	gnutls_x509_privkey_t key;
};

/* A variable of the file, since the library gives its callback no argument. One thread uses it. */
static struct tls_identity served;

static void identity_done(struct tls_identity *identity)
{
	for (unsigned i = 0; i < identity->count; i++)
		gnutls_x509_crt_deinit(identity->certs[i]);
	gnutls_free(identity->certs);
	if (identity->key)
		gnutls_x509_privkey_deinit(identity->key);
	*identity = (struct tls_identity){ 0 };
}

static bool fail(struct buf *why, const char *path, const char *what, int error)
{
	buf_printf(why, "%s: %s: %s", path, what, gnutls_strerror(error));
	return false;
}

static gnutls_datum_t datum_of(const struct buf *text)
{
	return (gnutls_datum_t){ (unsigned char *)text->data, (unsigned)text->length };
}

static bool load_certs(const char *path, struct tls_identity *identity, struct buf *why)
{
	CLEANUP_BUF struct buf text = { 0 };
	gnutls_datum_t pem;
	int r;

	if (!secret_file_read(path, S_IWGRP | S_IWOTH, &text, why))
		return false;
	pem = datum_of(&text);
	r = gnutls_x509_crt_list_import2(&identity->certs, &identity->count, &pem,
					 GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT);
	return r >= 0 || fail(why, path, "no certificate in PEM format", r);
}

static bool load_key(const char *path, struct tls_identity *identity, struct buf *why)
{
	CLEANUP_SECRET struct buf text = { 0 };
	gnutls_datum_t pem;
	int r;

	if (!secret_file_read(path, S_IWGRP | S_IRWXO, &text, why))
		return false;
	pem = datum_of(&text);
	r = gnutls_x509_privkey_init(&identity->key);
	if (r >= 0)
		r = gnutls_x509_privkey_import2(identity->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (r == GNUTLS_E_DECRYPTION_FAILED) {
		buf_printf(why, "%s: it is encrypted; tt_smi serve needs a key without passphrase",
			   path);
		return false;
	}
	return r >= 0 || fail(why, path, "no private key in PEM format", r);
}

/* Do the certificate and the key belong together? */
static bool is_pair(const struct tls_identity *identity)
{
	unsigned char of_cert[64], of_key[64];
	size_t cert_size = sizeof(of_cert), key_size = sizeof(of_key);

	return gnutls_x509_crt_get_key_id(identity->certs[0], GNUTLS_KEYID_USE_SHA256, of_cert,
					  &cert_size) >= 0 &&
	       gnutls_x509_privkey_get_key_id(identity->key, GNUTLS_KEYID_USE_SHA256, of_key,
					      &key_size) >= 0 &&
	       cert_size == key_size && memcmp(of_cert, of_key, cert_size) == 0;
}

bool tls_load(const char *cert_path, const char *key_path, bool *ret_expired, struct buf *why)
{
	struct tls_identity identity = { 0 };
	bool good = load_certs(cert_path, &identity, why) && load_key(key_path, &identity, why);

	if (good && !is_pair(&identity)) {
		buf_printf(why, "%s: it is not the key of the certificate in %s", key_path,
			   cert_path);
		good = false;
	}
	if (!good) {
		identity_done(&identity);
		return false;
	}
	*ret_expired = gnutls_x509_crt_get_expiration_time(identity.certs[0]) < time(NULL);
	identity_done(&served);
	served = identity;
	return true;
}

void tls_unload(void)
{
	identity_done(&served);
}

/* What is returned belongs to the session, which may outlive a reload. */
int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
		 gnutls_pcert_st **ret_certs, unsigned *ret_count, gnutls_ocsp_data_st **ret_ocsp,
		 unsigned *ret_ocsp_count, gnutls_privkey_t *ret_key, unsigned *ret_flags)
{
	gnutls_pcert_st *certs = gnutls_calloc(served.count, sizeof(*certs));
	gnutls_privkey_t key = NULL;
	unsigned count = served.count;
	int r;

	(void)session;
	(void)info;
	r = certs ? gnutls_pcert_import_x509_list(certs, served.certs, &count, 0)
		  : GNUTLS_E_MEMORY_ERROR;
	if (r >= 0)
		r = gnutls_privkey_init(&key);
	if (r >= 0)
		r = gnutls_privkey_import_x509(key, served.key, GNUTLS_PRIVKEY_IMPORT_COPY);
	if (r < 0) {
		for (unsigned i = 0; certs && i < served.count; i++)
			gnutls_pcert_deinit(&certs[i]);
		gnutls_free(certs);
		if (key)
			gnutls_privkey_deinit(key);
		return -1;
	}
	*ret_certs = certs;
	*ret_count = count;
	*ret_ocsp = NULL;
	*ret_ocsp_count = 0;
	*ret_key = key;
	*ret_flags = GNUTLS_CERT_RETR_DEINIT_ALL;
	return 0;
}
