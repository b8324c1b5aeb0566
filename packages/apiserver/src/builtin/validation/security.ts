import {
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkInnerPath } from './paths.ts'
import { between, each, fields, freeIfGiven, maybe, type Rule } from './rules.ts'

const maxId = 2_147_483_647
const id = between(0, maxId, `must be between 0 and ${maxId}, inclusive`)

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']
const maxProfileBytes = 4095

/** The type of a profile. `name` is the name of the field in the refusal. */
const typed =
  (name: string): Rule =>
  (at, type, causes) => {
    if ((type ?? '') === '') causes.required(at, `type is required when ${name} is set`)
    else if (!profileTypes.includes(type as string)) causes.unsupported(at, type as Json, profileTypes)
  }

const seccomp = fields({
  type: typed('seccompProfile'),
  localhostProfile: (at, path, causes, { type = '' }) => {
    if (type !== 'Localhost') {
      if (path === undefined) return
      causes.invalid(at, { Type: type, LocalhostProfile: path }, 'can only be set when seccomp type is Localhost')
    } else if (path === undefined) causes.required(at, 'must be set when seccomp type is Localhost')
    else checkInnerPath(at, String(path), causes)
  },
})

const appArmor = fields({
  type: typed('appArmorProfile'),
  localhostProfile: (at, path, causes, { type = '' }) => {
    if (type !== 'Localhost') {
      const isKnown = profileTypes.includes(type as string)
      if (isKnown && path !== undefined) causes.invalid(at, path, 'can only be set when AppArmor type is Localhost')
      return
    }
    const text = typeof path === 'string' ? path : ''
    if (text !== text.trim()) causes.invalid(at, text, 'must not be padded with whitespace')
    else if (text === '') causes.required(at, 'must be set when AppArmor type is Localhost')
    if (Buffer.byteLength(text) > maxProfileBytes) causes.tooLong(at, maxProfileBytes)
  },
})

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** The reasons for which a text is no user of Windows: `user`, `DOMAIN\user`. */
function windowsUserProblems(text: string): string[] {
  if (text === '') return ['runAsUserName cannot be an empty string']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused.
  if (/[\u0000-\u001f\u007f]/.test(text)) return ['runAsUserName cannot contain control characters']
  const parts = text.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const [user = '', domain] = parts.toReversed()
  const checks: readonly (readonly [boolean, string])[] = [
    [(domain ?? '').length >= 256, 'Domain length must be under 256 characters'],
    [
      domain !== undefined && !netBios.test(domain) && !dnsName.test(domain),
      "Domain doesn't match the NetBios nor the DNS format",
    ],
    [user === '', 'User cannot be empty'],
    [user.length > 104, 'User length must not be longer than 104 characters'],
    [/^[. ]+$/.test(user), 'User cannot contain only periods or spaces'],
    [/["/\\:;|=,+*?<>@[\]]/.test(user), 'User cannot contain the following characters: "/\\:;|=,+*?<>@[]'],
  ]
  return checks.flatMap(([isBad, why]) => (isBad ? [`runAsUserName's ${why}`] : []))
}

function credentialProblems(text: string): string[] {
  if (text === '') return ['gmsaCredentialSpec cannot be an empty string']
  return Buffer.byteLength(text) > 65_536 ? ['gmsaCredentialSpec size must be under 64 KiB'] : []
}

const windowsOptions = fields({
  gmsaCredentialSpecName: freeIfGiven(subdomainProblems),
  gmsaCredentialSpec: freeIfGiven(credentialProblems),
  runAsUserName: freeIfGiven(windowsUserProblems),
})

const maxSysctlLength = 253
const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/
const badSysctl = `must have at most ${maxSysctlLength} characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`

function checkSysctls(at: string, sysctls: readonly JsonObject[], spec: JsonObject, causes: Causes): void {
  const names = new Set<string>()
  for (const [i, sysctl] of sysctls.entries()) {
    const [place, name] = [`${at}[${i}].name`, stringAt(sysctl, 'name') ?? '']
    if (name === '') causes.required(place)
    else if (name.length > maxSysctlLength || !sysctlName.test(name)) causes.invalid(place, name, badSysctl)
    else if (names.has(name)) causes.duplicate(place, name)
    names.add(name)
    const shared = sharedBy(name)
    if (shared !== undefined && own(spec, shared) === true)
      causes.invalid(place, name, `may not be specified when '${shared}' is true`)
  }
}

/** The field with which a Pod shares the setting with its node. */
function sharedBy(sysctl: string): 'hostNetwork' | 'hostIPC' | undefined {
  const first = /[./]/.exec(sysctl)?.[0]
  // With a slash first, dots and slashes have each other's meaning.
  const name = first === '/' ? sysctl.replace(/[./]/g, one => (one === '/' ? '.' : '/')) : sysctl
  if (name.startsWith('net.')) return 'hostNetwork'
  return name === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name) ? 'hostIPC' : undefined
}

/** Checks the security context of a Pod. */
export function checkPodSecurity(at: string, spec: JsonObject, causes: Causes): void {
  const context = objectAt(spec, 'securityContext')
  if (context === undefined) return
  podContext(spec)(at, context, causes, spec)
}

const podContext = (spec: JsonObject): Rule =>
  fields({
    fsGroup: id,
    runAsUser: id,
    runAsGroup: id,
    supplementalGroups: each(id),
    sysctls: (at, _, causes, of) => checkSysctls(at, objectsAt(of, 'sysctls'), spec, causes),
    fsGroupChangePolicy: maybe('Always', 'OnRootMismatch'),
    seccompProfile: seccomp,
    windowsOptions,
    appArmorProfile: appArmor,
    supplementalGroupsPolicy: maybe('Merge', 'Strict'),
    seLinuxChangePolicy: maybe('MountOption', 'Recursive'),
  })

const containerContext = fields({
  runAsUser: id,
  runAsGroup: id,
  procMount: maybe('Default', 'Unmasked'),
})

const profiles = fields({ windowsOptions, appArmorProfile: appArmor })

/** Checks the security context of a container. */
export function checkContainerSecurity(
  at: string,
  context: Json | undefined,
  sharesUsers: boolean,
  causes: Causes,
): void {
  if (!isObject(context)) return
  containerContext(at, context, causes, context)
  if (sharesUsers && own(context, 'procMount') === 'Unmasked') {
    causes.invalid(`${at}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`')
  }
  const profile = objectAt(context, 'seccompProfile')
  if (profile !== undefined) seccomp(`${at}.seccompProfile`, profile, causes, context)
  if (own(context, 'allowPrivilegeEscalation') === false) {
    const added = own(objectAt(context, 'capabilities') ?? {}, 'add')
    const why = 'cannot set `allowPrivilegeEscalation` to false and'
    if (own(context, 'privileged') === true) causes.invalid(at, context, `${why} \`privileged\` to true`)
    for (const capability of Array.isArray(added) ? added : []) {
      if (capability === 'CAP_SYS_ADMIN') causes.invalid(at, context, `${why} \`capabilities.Add\` CAP_SYS_ADMIN`)
    }
  }
  profiles(at, context, causes, context)
}

/** Fields that a Pod for Windows, and its security contexts, can't have. */
const notForWindows = {
  pod: [
    ...[
      'appArmorProfile',
      'seLinuxOptions',
      'seccompProfile',
      'fsGroup',
      'fsGroupChangePolicy',
      'sysctls',
      'runAsUser',
    ],
    ...['runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'],
  ],
  spec: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'],
  container: [
    ...['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged'],
    ...['allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'],
  ],
}

/** The containers of a spec in the order in which a real server walks through them, each with its path. */
export function containersWithPaths(at: string, spec: JsonObject): readonly (readonly [string, JsonObject])[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap(list =>
    objectsAt(spec, list).map((one, i) => [`${at}.${list}[${i}]`, one] as const),
  )
}

/** Checks that a Pod has only the settings of its operating system. */
export function checkSystem(at: string, spec: JsonObject, causes: Causes): void {
  const os = objectAt(spec, 'os')
  if (os === undefined) return
  const name = stringAt(os, 'name') ?? ''
  if (name === '') return causes.required(`${at}.os.name`)
  if (name !== 'linux' && name !== 'windows') return causes.unsupported(`${at}.os`, name, ['linux', 'windows'])
  const contexts = containersWithPaths(at, spec).map(
    ([path, one]) => [`${path}.securityContext`, objectAt(one, 'securityContext')] as const,
  )
  const forbid = (path: string, of: JsonObject | undefined, names: readonly string[], why: string): void => {
    // A flag of the host that is false counts as absent.
    for (const field of names) {
      const value = own(of ?? {}, field)
      if (value !== undefined && !(value === false && /^host(PID|IPC)$/.test(field))) {
        causes.forbidden(`${path}.${field}`, why)
      }
    }
  }
  const ofPod = [`${at}.securityContext`, objectAt(spec, 'securityContext')] as const
  if (name === 'linux') {
    const why = 'windows options cannot be set for a linux pod'
    for (const [path, context] of [ofPod, ...contexts]) forbid(path, context, ['windowsOptions'], why)
    return
  }
  const why = 'cannot be set for a windows pod'
  forbid(...ofPod, notForWindows.pod, why)
  forbid(at, spec, notForWindows.spec, why)
  for (const [path, context] of contexts) forbid(path, context, notForWindows.container, why)
}

/** Checks the processes that run on the node itself, outside of containers. */
export function checkHostProcesses(at: string, spec: JsonObject, causes: Causes): void {
  const hostProcess = (of: JsonObject): Json | undefined =>
    own(objectAt(objectAt(of, 'securityContext'), 'windowsOptions') ?? {}, 'hostProcess')
  const [ofPod, containers] = [hostProcess(spec), containersWithPaths(at, spec)]
  let count = 0
  for (const [path, container] of containers) {
    const itsOwn = hostProcess(container)
    if (ofPod !== undefined && itsOwn !== undefined && ofPod !== itsOwn) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
      causes.invalid(`${path}.securityContext.windowsOptions.hostProcess`, itsOwn, why)
    }
    if ((itsOwn ?? ofPod) === true) count++
  }
  if (count === 0) return
  if (count !== containers.length) {
    const why = 'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    causes.invalid(at, '', why)
  }
  if (own(spec, 'hostNetwork') !== true) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers'
    causes.invalid(`${at}.hostNetwork`, false, why)
  }
}
