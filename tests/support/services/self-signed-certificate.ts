import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A certificate for 127.0.0.1, valid for a hundred years. It protects nothing: every reader of this file has its key.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUXr7mORCJhTu1NJrLIPtC3RnriDQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MzQwNloYDzIxMjYxMDI4
MDQzNDA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQLz5zpFQLVmAo86qr9XAV3FlRnfpX8PeAmbKgKUNRni3caWi6KX+sc
JD2mKcCI6PwPpAvKuv3Xe/9ayqoznwvDo2QwYjAdBgNVHQ4EFgQUHethGL24dlNS
90sBE9fwSNff5WgwHwYDVR0jBBgwFoAUHethGL24dlNS90sBE9fwSNff5WgwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQCY9JgDnesjrgGWgXy8MJtkdpf4nNpOcZfMJdtfBIKnxAIhAKFE9kqiYIl7CBPK
wAFFUsTmsvoG9sadN8yI5+d4XcNj
-----END CERTIFICATE-----
`;

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8+vnAsJ7AghzXnZ4
EcZVLA/MTCXRQ9aeboE/l0iUtDOhRANCAAQLz5zpFQLVmAo86qr9XAV3FlRnfpX8
PeAmbKgKUNRni3caWi6KX+scJD2mKcCI6PwPpAvKuv3Xe/9ayqoznwvD
-----END PRIVATE KEY-----
`;

/** Writes both to files, the form that servers accept, while `body` runs. */
export async function withCertificateFiles(
  body: (files: { readonly certFile: string; readonly keyFile: string }) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-tls-'));
  const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
  try {
    writeFileSync(files.certFile, CERTIFICATE);
    writeFileSync(files.keyFile, KEY);
    await body(files);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
