import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { User } from '@wherry/apiserver'
import { type CertificateAuthority, createCertificateAuthority } from '@wherry/apiserver/internal'

/** The certificates and tokens of an instance of the server and of its clients. They are new for each instance. */
export interface Credentials {
  readonly authority: CertificateAuthority
  /** The token of a user in `system:masters`, which has all rights. */
  readonly adminToken: string
}

/** Names of the files that {@link writeCredentials} makes. */
export const credentialFiles = {
  clientCa: 'client-ca.crt',
  certificate: 'server.crt',
  privateKey: 'server.key',
  serviceAccountKey: 'service-account.key',
  tokens: 'tokens.csv',
} as const

/** Writes the server's files to `folder`: certificate and key, CA of clients, key of service accounts, tokens. */
export async function writeCredentials(
  folder: string,
  users: Readonly<Record<string, Omit<User, 'extra'>>>,
): Promise<Credentials> {
  const authority = createCertificateAuthority()
  const server = authority.issueServer()
  const adminToken = randomBytes(16).toString('hex')
  // The server reads this key to sign and to verify tokens, and accepts no PKCS #8 for the second use.
  const serviceAccountKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const tokens = Object.entries({ [adminToken]: { name: 'wherry:admin', groups: ['system:masters'] }, ...users })
  const contents: Record<keyof typeof credentialFiles, string> = {
    clientCa: authority.caPem,
    certificate: server.certPem,
    privateKey: server.keyPem,
    serviceAccountKey: serviceAccountKey.export({ type: 'sec1', format: 'pem' }).toString(),
    tokens: tokens.map(line).join(''),
  }
  for (const [name, text] of Object.entries(contents)) {
    await writeFile(join(folder, credentialFiles[name as keyof typeof credentialFiles]), text, { mode: 0o600 })
  }
  return { authority, adminToken }
}

/** A line of a token file: token, name, uid, groups. */
function line([token, { name, uid = '', groups = [] }]: readonly [string, Omit<User, 'extra'>]): string {
  return `${[token, name, uid, groups.join(',')].map(quoted).join(',')}\n`
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
