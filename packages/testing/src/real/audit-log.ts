import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UsedRole } from '@wherry/apiserver'
import { impersonationResources, UsedRights, userAgent } from '@wherry/apiserver/internal'

/** The fields of an event of `audit.k8s.io/v1` that are read. */
interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: { readonly username: string }
  readonly impersonatedUser?: {
    readonly username: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly objectRef?: {
    readonly resource?: string
    readonly namespace?: string
    readonly apiGroup?: string
    readonly subresource?: string
  }
  readonly responseStatus?: { readonly code?: number }
  readonly annotations?: Readonly<Record<string, string>>
}

/** Records the metadata of each request when it has ended, and of a watch when it begins too; nothing of the server's own requests. */
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'None', users: ['system:apiserver'] }, { level: 'Metadata' }],
}

/** Writes the audit policy to an instance's folder, and returns the flags for a server that writes its audit log there. */
export async function writeAuditPolicy(folder: string): Promise<Record<string, string>> {
  const file = join(folder, 'audit-policy.json')
  await writeFile(file, JSON.stringify(policy))
  return { 'audit-policy-file': file, 'audit-log-path': logOf(folder), 'audit-log-maxsize': '10240' }
}

/** The rights that each user made use of, as the audit log in `folder` records. */
export async function rightsOf(folder: string): Promise<Readonly<Record<string, readonly UsedRole[]>>> {
  const used = new UsedRights()
  for (const line of (await readFile(logOf(folder), 'utf8')).split('\n')) {
    if (line !== '') note(used, JSON.parse(line))
  }
  return used.roles()
}

/** Whether the request itself named a group. The server adds the groups of all users and of all service accounts. */
const asked = (group: string): boolean => !/^system:((un)?authenticated|serviceaccounts(:.*)?)$/.test(group)

const logOf = (folder: string): string => join(folder, 'audit.log')

function note(used: UsedRights, event: AuditEvent): void {
  if (event.userAgent === userAgent) return
  const { verb, user, impersonatedUser: taken, objectRef = {}, annotations = {} } = event
  const none = { resource: '', group: '', version: '', namespace: '', name: '', subresource: '', path: '' }
  if (taken !== undefined) {
    for (const part of impersonationResources(taken.username, { ...taken, groups: taken.groups?.filter(asked) })) {
      used.note({ ...none, ...part, user: { name: user.username, groups: [] }, verb: 'impersonate' })
    }
  }
  if (annotations['authorization.k8s.io/decision'] !== 'allow') return
  const { resource = '', namespace = '', apiGroup: group = '', subresource = '' } = objectRef
  const path = event.requestURI.split('?', 1)[0] ?? ''
  const name = (taken ?? user).username
  const attributes = { ...none, resource, namespace, group, subresource, path, user: { name, groups: [] } }
  used.note({ ...attributes, verb })
  // An apply that creates needs both rights.
  if (verb === 'patch' && event.responseStatus?.code === 201) used.note({ ...attributes, verb: 'create' })
}
