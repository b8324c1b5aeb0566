import { dnsLabelProblems, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkEnvironment } from './environment.ts'
import { checkInnerPath } from './paths.ts'
import { checkPortNumber, portNameProblems, protocols } from './ports.ts'
import { checkProbes } from './probe.ts'
import { checkResources } from './resources.ts'
import { anyOf, atMost, each, fields, maybe, type Rule, required } from './rules.ts'
import { checkContainerSecurity } from './security.ts'
import type { PodVolumes } from './volume.ts'

/** The parts of a Pod on which the checks of its containers depend. */
export interface OfPod {
  readonly spec: JsonObject
  readonly volumes: PodVolumes
  /** The names of the resource claims. */
  readonly claims: ReadonlySet<string>
}

/** Checks the containers of a Pod, which must have at least one. */
export function checkContainers(field: string, containers: readonly JsonObject[], pod: OfPod, causes: Causes): void {
  if (containers.length === 0) return causes.required(field)
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(container, 'name') ?? '']
    checkContainer(at, container, pod, causes)
    if (names.has(name)) causes.duplicate(`${at}.name`, name)
    names.add(name)
    checkProbes(at, container, own(pod.spec, 'terminationGracePeriodSeconds'), causes)
    restarts(at, container, causes, container)
  }
  checkHostPorts(field, containers, causes)
}

/** Checks the init containers of a Pod. Their names must differ from the names of its other containers. */
export function checkInitContainers(
  field: string,
  containers: readonly JsonObject[],
  others: readonly JsonObject[],
  pod: OfPod,
  causes: Causes,
): void {
  const names = new Set(others.map(one => stringAt(one, 'name') ?? ''))
  for (const [i, container] of containers.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(container, 'name') ?? '']
    checkContainer(at, container, pod, causes)
    const policy = own(container, 'restartPolicy')
    restarts(at, container, causes, container)
    if (names.has(name)) causes.duplicate(`${at}.name`, name)
    else if (name !== '') names.add(name)
    checkHostPorts(field, [container], causes)
    if (policy === 'Always') {
      checkProbes(at, container, own(pod.spec, 'terminationGracePeriodSeconds'), causes)
      continue
    }
    for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      if (own(container, name) === undefined) continue
      causes.forbidden(`${at}.${name}`, 'may not be set for init containers without restartPolicy=Always')
    }
    for (const [j, one] of objectsAt(container, 'resizePolicy').entries()) {
      if (own(one, 'restartPolicy') !== 'RestartContainer') continue
      const why = "must not be set to 'RestartContainer' for non-sidecar initContainers"
      causes.invalid(`${at}.resizePolicy[${j}].restartPolicy`, 'RestartContainer', why)
    }
  }
}

const restarts = fields({
  '': (at, _, causes, of) => {
    const [policy, rules] = [own(of, 'restartPolicy'), objectsAt(of, 'restartPolicyRules')]
    if (policy === undefined && rules.length > 0) {
      causes.required(`${at}.restartPolicy`, 'must specify restartPolicy when restart rules are used')
    }
  },
  restartPolicy: maybe('Always', 'Never', 'OnFailure'),
  restartPolicyRules: [
    atMost(20),
    each(
      fields({
        action: given('Restart', 'RestartAllContainers'),
        exitCodes: [required('must be specified'), fields({ operator: given('In', 'NotIn'), values: atMost(255) })],
      }),
    ),
  ],
})

/** A text of `known`. An absent text counts as empty. */
function given(...known: readonly string[]): Rule {
  return (at, value, causes) => {
    if (!known.includes((value ?? '') as string)) causes.unsupported(at, value ?? '', known)
  }
}

const resizes =
  (onNever: boolean): Rule =>
  (at, list, causes) => {
    const seen = new Set<string>()
    for (const [i, one] of (Array.isArray(list) ? (list as JsonObject[]) : []).entries()) {
      const [resource, policy] = [stringAt(one, 'resourceName') ?? '', stringAt(one, 'restartPolicy') ?? '']
      if (seen.has(resource)) causes.duplicate(`${at}[${i}]`, resource)
      seen.add(resource)
      causes.chosen(at, resource, ['cpu', 'memory'])
      causes.chosen(at, policy, ['NotRequired', 'RestartContainer'])
      if (onNever && policy !== 'NotRequired') {
        causes.invalid(at, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
      }
    }
  }

function checkContainer(field: string, container: JsonObject, pod: OfPod, causes: Causes): void {
  const name = stringAt(container, 'name') ?? ''
  if (name === '') causes.required(`${field}.name`)
  else causes.invalid(`${field}.name`, name, ...dnsLabelProblems(name))
  if ((stringAt(container, 'image') ?? '') === '') causes.required(`${field}.image`)
  const policies = ['File', 'FallbackToLogsOnError']
  causes.chosen(`${field}.terminationMessagePolicy`, own(container, 'terminationMessagePolicy'), policies)
  checkPorts(`${field}.ports`, objectsAt(container, 'ports'), causes)
  checkEnvironment(field, container, causes)
  checkMounts(`${field}.volumeMounts`, container, pod.volumes, causes)
  checkDevices(`${field}.volumeDevices`, container, pod.volumes, causes)
  causes.chosen(`${field}.imagePullPolicy`, own(container, 'imagePullPolicy'), ['Always', 'IfNotPresent', 'Never'])
  checkResources(`${field}.resources`, objectAt(container, 'resources'), causes)
  checkClaims(`${field}.resources.claims`, objectsAt(objectAt(container, 'resources'), 'claims'), pod.claims, causes)
  const never = own(pod.spec, 'restartPolicy') === 'Never'
  resizes(never)(`${field}.resizePolicy`, own(container, 'resizePolicy'), causes, container)
  const sharesUsers = own(pod.spec, 'hostUsers') !== false
  checkContainerSecurity(`${field}.securityContext`, own(container, 'securityContext'), sharesUsers, causes)
}

function checkClaims(field: string, claims: readonly JsonObject[], known: ReadonlySet<string>, causes: Causes): void {
  const seen = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    const [at, name, request] = [`${field}[${i}]`, stringAt(claim, 'name') ?? '', stringAt(claim, 'request') ?? '']
    if (name === '') {
      causes.required(at)
      continue
    }
    const key = request === '' ? name : `${name}/${request}`
    if (seen.has(name)) causes.duplicate(at, name)
    else {
      if (request !== '') causes.invalid(`${at}.request`, request, ...dnsLabelProblems(request))
      if (seen.has(key)) causes.duplicate(at, key)
      seen.add(key)
    }
    if (!known.has(name)) {
      const which = known.size === 0 ? ' which is empty' : ` [${[...known].sort().join(' ')}]`
      causes.notFound(at, name, `must be ${anyOf} the names in pod.spec.resourceClaims${which}`)
    }
  }
}

/** The paths of mounts or devices by their names. A real server takes the last of a name, and counts a path that is absent as empty. */
function pathsOf(container: JsonObject, list: string, path: string): ReadonlyMap<string, string> {
  return new Map(objectsAt(container, list).map(one => [stringAt(one, 'name') ?? '', stringAt(one, path) ?? '']))
}

function checkDevices(field: string, container: JsonObject, volumes: PodVolumes, causes: Causes): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounts = pathsOf(container, 'volumeMounts', 'mountPath')
  const mountPaths = new Set(mounts.values())
  for (const [i, device] of objectsAt(container, 'volumeDevices').entries()) {
    const [at, name, path] = [`${field}[${i}]`, stringAt(device, 'name') ?? '', stringAt(device, 'devicePath') ?? '']
    if (name === '') causes.required(`${at}.name`)
    if (names.has(name)) causes.invalid(`${at}.name`, name, 'must be unique')
    const source = volumes.get(name)
    if (source === undefined) causes.notFound(`${at}.name`, name)
    else if (source !== 'persistentVolumeClaim' && source !== 'ephemeral') {
      const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      causes.invalid(`${at}.name`, name, why)
    }
    if (path === '') causes.required(`${at}.devicePath`)
    if (paths.has(path)) causes.invalid(`${at}.devicePath`, path, 'must be unique')
    if (path.split('/').includes('..')) causes.invalid(`${at}.devicePath`, path, "can not contain backsteps ('..')")
    else paths.add(path)
    if (mounts.has(name)) {
      causes.invalid(`${at}.name`, name, 'must not already exist in volumeMounts')
    }
    if (mountPaths.has(path)) {
      causes.invalid(`${at}.devicePath`, path, 'must not already exist as a path in volumeMounts')
    }
    if (name !== '') names.add(name)
  }
}

function checkPorts(field: string, ports: readonly JsonObject[], causes: Causes): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(port, 'name') ?? '']
    const problems = name === '' ? [] : portNameProblems(name)
    causes.invalid(`${at}.name`, name, ...problems)
    if (problems.length === 0 && name !== '') {
      if (names.has(name)) causes.duplicate(`${at}.name`, name)
      names.add(name)
    }
    const [number, hostPort] = [own(port, 'containerPort') ?? 0, own(port, 'hostPort') ?? 0]
    if (number === 0) causes.required(`${at}.containerPort`)
    else checkPortNumber(`${at}.containerPort`, number, causes)
    if (hostPort !== 0) checkPortNumber(`${at}.hostPort`, hostPort, causes)
    causes.chosen(`${at}.protocol`, own(port, 'protocol'), protocols)
  }
}

function checkHostPorts(field: string, containers: readonly JsonObject[], causes: Causes): void {
  const taken = new Set<string>()
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of objectsAt(container, 'ports').entries()) {
      const number = own(port, 'hostPort') ?? 0
      if (number === 0) continue
      const which = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP') ?? ''}/${number}`
      if (taken.has(which)) causes.duplicate(`${field}[${i}].ports[${j}].hostPort`, which)
      taken.add(which)
    }
  }
}

function checkMounts(field: string, container: JsonObject, volumes: PodVolumes, causes: Causes): void {
  const paths = new Set<string>()
  const devices = pathsOf(container, 'volumeDevices', 'devicePath')
  const devicePaths = new Set(devices.values())
  for (const [i, mount] of objectsAt(container, 'volumeMounts').entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(mount, 'name') ?? '']
    const path = stringAt(mount, 'mountPath') ?? ''
    if (name === '') causes.required(`${at}.name`)
    if (!volumes.has(name)) causes.notFound(`${at}.name`, name)
    if (path === '') causes.required(`${at}.mountPath`)
    if (paths.has(path)) causes.invalid(`${at}.mountPath`, path, 'must be unique')
    paths.add(path)
    if (devices.has(name)) {
      causes.invalid(`${at}.name`, name, 'must not already exist in volumeDevices')
    }
    if (devicePaths.has(path)) {
      causes.invalid(`${at}.mountPath`, path, 'must not already exist as a path in volumeDevices')
    }
    const [inner, expression] = [stringAt(mount, 'subPath') ?? '', stringAt(mount, 'subPathExpr') ?? '']
    // The server's own path is that of the list, without an index.
    if (inner !== '') checkInnerPath(`${field}.subPath`, inner, causes)
    if (expression !== '') {
      if (inner !== '') {
        causes.invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')
      }
      checkInnerPath(`${field}.subPathExpr`, expression, causes)
    }
    checkPropagation(field, mount, container, causes)
  }
}

/** Checks how a mount and the mounts of its node see each other. The server's own paths are those of the list, without an index. */
function checkPropagation(field: string, mount: JsonObject, container: JsonObject, causes: Causes): void {
  const [propagation, recursive] = [own(mount, 'mountPropagation'), own(mount, 'recursiveReadOnly')]
  maybe('Bidirectional', 'HostToContainer', 'None')(`${field}.mountPropagation`, propagation, causes, mount)
  if (propagation === 'Bidirectional' && own(objectAt(container, 'securityContext') ?? {}, 'privileged') !== true) {
    const why = 'Bidirectional mount propagation is available only to privileged containers'
    causes.forbidden(`${field}.mountPropagation`, why)
  }
  const at = `${field}.recursiveReadOnly`
  maybe('Disabled', 'Enabled', 'IfPossible')(at, recursive, causes, mount)
  if (recursive !== 'Enabled' && recursive !== 'IfPossible') return
  if (own(mount, 'readOnly') !== true) causes.forbidden(at, 'may only be specified when readOnly is true')
  if (propagation !== undefined && propagation !== 'None') {
    causes.forbidden(at, 'may only be specified when mountPropagation is None or not specified')
  }
}
