/* The certificate and key of the server, for libmicrohttpd's TLS. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <gnutls/abstract.h>
#include <stdbool.h>

/* TLS 1.3 and 1.2 with forward secrecy and authenticated encryption. */
extern const char tls_priorities[];

/*
 * Loads a chain of certificates and the key of the first one, both PEM, for the connections from
 * now on. False: nothing has changed, and why has the reason. *ret_expired: the certificate is used
 * although its time is over, since clients may accept that.
 */
MUST_CHECK bool tls_load(const char *cert_path, const char *key_path, bool *ret_expired,
			 struct buf *why);
void tls_unload(void);

/* The callback for MHD_OPTION_HTTPS_CERT_CALLBACK2. */
int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
		 gnutls_pcert_st **ret_certs, unsigned *ret_count, gnutls_ocsp_data_st **ret_ocsp,
		 unsigned *ret_ocsp_count, gnutls_privkey_t *ret_key, unsigned *ret_flags);
