import type { IncomingRequest } from '../http/port.ts';
import type { IsTrusted } from './trusted-proxies.ts';

export interface TransportOptions {
  /** The gateway serves TLS itself. */
  readonly servesTls: boolean;
  readonly allowInsecureHttp: boolean;
  readonly isTrusted: IsTrusted;
}

/** Whether a request came over HTTPS, as far as anyone trustworthy says (docs/contract.md §1, "HTTPS only"). */
export function createTransportGuard(options: TransportOptions): (request: IncomingRequest) => boolean {
  if (options.servesTls || options.allowInsecureHttp) return () => true;
  return (request) => request.header('x-forwarded-proto') === 'https' && options.isTrusted(request.remoteAddress);
}
