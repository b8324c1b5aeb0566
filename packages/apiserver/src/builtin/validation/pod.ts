import { isIP } from 'node:net'
import {
  dnsLabelProblems,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'
import { checkContainers, checkInitContainers } from './containers.ts'
import { checkLabels } from './label-selector.ts'
import { checkResources } from './resources.ts'
import { always, anyOf, each, fields, free, freeIfGiven, type Rule, required, unique } from './rules.ts'
import { checkAffinity, checkSpread, checkTolerations } from './scheduling.ts'
import { checkHostProcesses, checkPodSecurity, checkSystem, containersWithPaths } from './security.ts'
import { checkVolumes } from './volume.ts'

const maxInt32 = 2_147_483_647

/** Checks a Pod. */
export const checkPod: Check = (pod, causes) => {
  const spec = objectAt(pod, 'spec') ?? {}
  checkPodSpec('spec', spec, causes)
  checkClaimNames(pod.metadata.name ?? '', objectsAt(spec, 'volumes'), causes)
  if ((stringAt(spec, 'serviceAccountName') ?? '') === '') {
    for (const [i, volume] of objectsAt(spec, 'volumes').entries()) {
      for (const [j, source] of objectsAt(objectAt(volume, 'projected'), 'sources').entries()) {
        if (objectAt(source, 'serviceAccountToken') === undefined) continue
        const why = 'must not be specified when serviceAccountName is not set'
        causes.forbidden(`spec.volumes[${i}].projected.sources[${j}].serviceAccountToken`, why)
      }
    }
  }
  for (const list of ['containers', 'initContainers']) {
    for (const [i, one] of objectsAt(spec, list).entries()) {
      const image = stringAt(one, 'image') ?? ''
      if (image === image.trim()) continue
      causes.invalid(`spec.${list}[${i}].image`, image, 'must not have leading or trailing whitespace')
    }
  }
}

/** Checks the names of the claims that a Pod makes for its volumes. */
function checkClaimNames(pod: string, volumes: readonly JsonObject[], causes: Causes): void {
  for (const [i, volume] of volumes.entries()) {
    const [name, claim] = [stringAt(volume, 'name') ?? '', `${pod}-${stringAt(volume, 'name') ?? ''}`]
    if (pod === '' || name === '' || objectAt(volume, 'ephemeral') === undefined) continue
    const problems = subdomainProblems(claim).map(why => `PVC name ${JSON.stringify(claim)}: ${why}`)
    causes.invalid(`spec.volumes[${i}].name`, name, ...problems)
  }
}

/** Checks what only a new Pod can't have. */
export const checkNewPod: Check = (pod, causes) => {
  const spec = objectAt(pod, 'spec') ?? {}
  if (objectsAt(spec, 'ephemeralContainers').length > 0) {
    causes.forbidden('spec.ephemeralContainers', 'cannot be set on create')
  }
  if ((stringAt(spec, 'nodeName') ?? '') !== '' && objectsAt(spec, 'schedulingGates').length > 0) {
    causes.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')
  }
}

/** Checks a template of Pods. Volumes that are named in `more` are added to those of the template. */
export function checkTemplate(
  field: string,
  template: JsonObject | undefined,
  causes: Causes,
  more: readonly string[] = [],
): void {
  const metadata = objectAt(template, 'metadata')
  checkLabels(`${field}.labels`, objectAt(metadata, 'labels'), causes)
  for (const key of Object.keys(objectAt(metadata, 'annotations') ?? {}).sort()) {
    causes.invalid(`${field}.annotations`, key, ...qualifiedNameProblems(key.toLowerCase()))
  }
  const spec = objectAt(template, 'spec') ?? {}
  checkPodSpec(`${field}.spec`, spec, causes, more)
  if (objectsAt(spec, 'ephemeralContainers').length > 0) {
    causes.forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')
  }
}

function checkPodSpec(field: string, spec: JsonObject, causes: Causes, more: readonly string[] = []): void {
  const containers = objectsAt(spec, 'containers')
  const volumes = checkVolumes(`${field}.volumes`, objectsAt(spec, 'volumes'), causes)
  for (const name of more) volumes.set(name, 'persistentVolumeClaim')
  for (const rule of resourceClaims) rule(`${field}.resourceClaims`, own(spec, 'resourceClaims'), causes, spec)
  const names = objectsAt(spec, 'resourceClaims').map(one => stringAt(one, 'name') ?? '')
  const pod = { spec, volumes, claims: new Set(names.filter(name => name !== '')) }
  checkContainers(`${field}.containers`, containers, pod, causes)
  checkInitContainers(`${field}.initContainers`, objectsAt(spec, 'initContainers'), containers, pod, causes)
  if (own(spec, 'hostNetwork') === true) checkHostPorts(`${field}.containers`, containers, causes)
  causes.chosen(`${field}.restartPolicy`, own(spec, 'restartPolicy'), ['Always', 'OnFailure', 'Never'])
  const dns = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
  causes.chosen(`${field}.dnsPolicy`, own(spec, 'dnsPolicy'), dns)
  checkLabels(`${field}.nodeSelector`, objectAt(spec, 'nodeSelector'), causes)
  checkPodSecurity(`${field}.securityContext`, spec, causes)
  if (own(spec, 'shareProcessNamespace') === true && own(spec, 'hostPID') === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled'
    causes.invalid(`${field}.shareProcessNamespace`, true, why)
  }
  checkAffinity(`${field}.affinity`, objectAt(spec, 'affinity'), causes)
  checkDns(`${field}.dnsConfig`, objectAt(spec, 'dnsConfig'), own(spec, 'dnsPolicy'), causes)
  gates(field, spec, causes, spec)
  const seen = new Set<string>()
  for (const [i, gate] of objectsAt(spec, 'schedulingGates').entries()) {
    const name = stringAt(gate, 'name') ?? ''
    causes.invalid(`${field}.schedulingGates[${i}]`, name, ...qualifiedNameProblems(name))
    if (seen.has(name)) causes.duplicate(`${field}.schedulingGates[${i}]`, name)
    seen.add(name)
  }
  checkSpread(`${field}.topologySpreadConstraints`, objectsAt(spec, 'topologySpreadConstraints'), causes)
  checkHostProcesses(field, spec, causes)
  checkHostUsers(field, spec, causes)
  checkNames(field, spec, causes)
  checkTolerations(`${field}.tolerations`, objectsAt(spec, 'tolerations'), causes)
  checkAliases(`${field}.hostAliases`, objectsAt(spec, 'hostAliases'), causes)
  const priority = stringAt(spec, 'priorityClassName') ?? ''
  if (priority !== '') causes.invalid(`${field}.priorityClassName`, priority, ...subdomainProblems(priority))
  classes(field, spec, causes, spec)
  const overhead = objectAt(spec, 'overhead')
  if (overhead !== undefined) checkResources(`${field}.overhead`, { limits: overhead }, causes)
  checkSystem(field, spec, causes)
  checkFileVolumes(field, spec, causes)
}

/** Checks that files with variables are in volumes that containers can write. */
function checkFileVolumes(field: string, spec: JsonObject, causes: Causes): void {
  const volumes = new Map(objectsAt(spec, 'volumes').map(one => [stringAt(one, 'name') ?? '', one]))
  for (const [path, container] of containersWithPaths(field, spec)) {
    for (const [i, one] of objectsAt(container, 'env').entries()) {
      const file = objectAt(objectAt(one, 'valueFrom'), 'fileKeyRef')
      if (file === undefined) continue
      const [at, name] = [`${path}.env[${i}].valueFrom.fileKeyRef.volumeName`, stringAt(file, 'volumeName') ?? '']
      const volume = volumes.get(name)
      if (volume === undefined) causes.notFound(at, name)
      else if (own(volume, 'emptyDir') === undefined)
        causes.invalid(at, name, 'referenced volume must be of type emptyDir')
    }
  }
}

const gates = fields({ readinessGates: each(fields({ conditionType: always(qualifiedNameProblems) })) })
const classes = fields({
  runtimeClassName: freeIfGiven(subdomainProblems),
  preemptionPolicy: (at, policy, causes) => {
    if (policy !== undefined) causes.chosen(at, policy, ['PreemptLowerPriority', 'Never'])
  },
})

const tooMany = `at most ${anyOf} \`resourceClaimName\` or \`resourceClaimTemplateName\` may be specified`
const resourceClaims: readonly Rule[] = [
  each(
    fields({
      name: [required(), free(dnsLabelProblems)],
      '': (at, _, causes, of) => {
        const names = ['resourceClaimName', 'resourceClaimTemplateName'].map(name => own(of, name) ?? null)
        const printed = {
          Name: own(of, 'name') ?? '',
          ResourceClaimName: names[0],
          ResourceClaimTemplateName: names[1],
        }
        const given = names.filter(name => name !== null).length
        const why =
          given === 0 ? `must specify ${anyOf}: \`resourceClaimName\`, \`resourceClaimTemplateName\`` : tooMany
        if (given !== 1) causes.invalid(at, printed as Json, why)
      },
      resourceClaimName: freeIfGiven(subdomainProblems),
      resourceClaimTemplateName: freeIfGiven(subdomainProblems),
    }),
  ),
  unique('name'),
]

/** Checks that the ports of a Pod in the network of its node are those of the node. */
function checkHostPorts(field: string, containers: readonly JsonObject[], causes: Causes): void {
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of objectsAt(container, 'ports').entries()) {
      const hostPort = own(port, 'hostPort') ?? 0
      if (hostPort === 0 || hostPort === (own(port, 'containerPort') ?? 0)) continue
      const why = 'must match `containerPort` when `hostNetwork` is true'
      causes.invalid(`${field}[${i}].ports[${j}].hostPort`, hostPort, why)
    }
  }
}

const maxNameservers = 3
const maxSearches = 32
const maxSearchLength = 2048
const badSearch =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
const label = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const searchName = new RegExp(`^${label}(\\.${label})*$`)

function checkDns(field: string, config: JsonObject | undefined, policy: Json | undefined, causes: Causes): void {
  const [servers, searches] = [stringsAt(config, 'nameservers'), stringsAt(config, 'searches')]
  if (policy === 'None') {
    if (config === undefined) return causes.required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None'
    if (servers.length === 0) return causes.required(`${field}.nameservers`, why)
  }
  if (servers.length > maxNameservers) {
    causes.invalid(`${field}.nameservers`, servers, `must not have more than ${maxNameservers} nameservers`)
  }
  for (const [i, server] of servers.entries()) {
    if (isIP(server) === 0) {
      causes.invalid(
        `${field}.nameservers[${i}]`,
        server,
        'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      )
    }
  }
  if (searches.length > maxSearches) {
    causes.invalid(`${field}.searches`, searches, `must not have more than ${maxSearches} search paths`)
  }
  if (searches.join(' ').length > maxSearchLength) {
    const why = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`
    causes.invalid(`${field}.searches`, searches, why)
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue
    const name = search.replace(/\.$/, '')
    const problems = [
      ...(name.length > 253 ? ['must be no more than 253 characters'] : []),
      ...(searchName.test(name) ? [] : [badSearch]),
    ]
    causes.invalid(`${field}.searches[${i}]`, name, ...problems)
  }
  for (const [i, option] of objectsAt(config, 'options').entries()) {
    if ((stringAt(option, 'name') ?? '') === '') causes.required(`${field}.options[${i}]`, 'must not be empty')
  }
}

/** Checks that a Pod with users of its own shares nothing else with its node. */
function checkHostUsers(field: string, spec: JsonObject, causes: Causes): void {
  if (own(spec, 'hostUsers') !== false) return
  const why = 'when `hostUsers` is false'
  // The server's own paths have capitals.
  for (const [name, path] of [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const) {
    if (own(spec, name) === true) causes.forbidden(`${field}.${path}`, why)
  }
  for (const [path, container] of containersWithPaths(field, spec)) {
    if (objectsAt(container, 'volumeDevices').length > 0) causes.forbidden(`${path}.volumeDevices`, why)
  }
}

function checkAliases(field: string, aliases: readonly JsonObject[], causes: Causes): void {
  for (const [i, alias] of aliases.entries()) {
    const ip = stringAt(alias, 'ip') ?? ''
    if (isIP(ip) === 0) {
      causes.invalid(`${field}[${i}].ip`, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')
    }
    for (const [j, name] of stringsAt(alias, 'hostnames').entries()) {
      causes.invalid(`${field}[${i}].hostnames[${j}]`, name, ...subdomainProblems(name))
    }
  }
}

function checkNames(field: string, spec: JsonObject, causes: Causes): void {
  checkHostname(`${field}.hostnameOverride`, spec, causes)
  const named = (name: string, problems: (text: string) => string[]): void => {
    const text = stringAt(spec, name) ?? ''
    if (text !== '') causes.invalid(`${field}.${name}`, text, ...problems(text))
  }
  named('serviceAccountName', subdomainProblems)
  named('nodeName', subdomainProblems)
  const deadline = own(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && !(typeof deadline === 'number' && deadline >= 1 && deadline <= maxInt32)) {
    causes.invalid(`${field}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxInt32}, inclusive`)
  }
  named('hostname', dnsLabelProblems)
  named('subdomain', dnsLabelProblems)
}

const maxHostname = 64

function checkHostname(at: string, spec: JsonObject, causes: Causes): void {
  const name = stringAt(spec, 'hostnameOverride')
  if (name === undefined) return
  for (const flag of ['setHostnameAsFQDN', 'hostNetwork']) {
    if (own(spec, flag) === true) causes.forbidden(at, `may not be specified when ${flag} is true`)
  }
  if (name.length > maxHostname) causes.tooLong(at, maxHostname)
  causes.invalid(at, name, ...subdomainProblems(name))
}
