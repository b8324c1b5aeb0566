/** The part of `./internal` that reads requests and needs no server, for a process that should stay small. Any release may change these exports. */

export { readImpersonation } from '../authn/impersonation.ts'
export { UsedRights } from '../authn/used-rights.ts'
export { createCertificateAuthority } from '../front/certificates.ts'
export { impersonationHeaders } from '../impersonation-headers.ts'
export { kubeconfigFor } from '../kubeconfig.ts'
export type { AskedRight } from '../requests/asked-right.ts'
export { askedRight } from '../requests/asked-right.ts'
export { parseRequestPath, verbOf } from '../requests/request-info.ts'
