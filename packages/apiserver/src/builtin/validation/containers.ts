import { dnsLabelProblems, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkEnvironment } from './environment.ts'
import { checkInnerPath } from './paths.ts'
import { checkPortNumber, portNameProblems, protocols } from './ports.ts'
import { checkProbes } from './probe.ts'
import { checkResources } from './resources.ts'

const maxId = 2_147_483_647

/** Checks the containers of a Pod, which must have at least one. */
export function checkContainers(
  field: string,
  containers: readonly JsonObject[],
  volumes: ReadonlySet<string>,
  causes: Causes,
): void {
  if (containers.length === 0) return causes.required(field)
  const names = new Set<string>()
  for (const [i, container] of containers.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(container, 'name') ?? '']
    checkContainer(at, container, volumes, causes)
    if (names.has(name)) causes.duplicate(`${at}.name`, name)
    names.add(name)
    checkProbes(at, container, causes)
  }
  checkHostPorts(field, containers, causes)
}

/** Checks the init containers of a Pod. Their names must differ from the names of its other containers. */
export function checkInitContainers(
  field: string,
  containers: readonly JsonObject[],
  others: readonly JsonObject[],
  volumes: ReadonlySet<string>,
  causes: Causes,
): void {
  const names = new Set(others.map(one => stringAt(one, 'name') ?? ''))
  for (const [i, container] of containers.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(container, 'name') ?? '']
    checkContainer(at, container, volumes, causes)
    const policy = own(container, 'restartPolicy')
    if (names.has(name)) causes.duplicate(`${at}.name`, name)
    else if (name !== '') names.add(name)
    checkHostPorts(field, [container], causes)
    if (policy === 'Always') {
      checkProbes(at, container, causes)
      continue
    }
    for (const one of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      if (own(container, one) === undefined) continue
      causes.forbidden(`${at}.${one}`, 'may not be set for init containers without restartPolicy=Always')
    }
  }
}

function checkContainer(field: string, container: JsonObject, volumes: ReadonlySet<string>, causes: Causes): void {
  const name = stringAt(container, 'name') ?? ''
  if (name === '') causes.required(`${field}.name`)
  else causes.invalid(`${field}.name`, name, ...dnsLabelProblems(name))
  if ((stringAt(container, 'image') ?? '') === '') causes.required(`${field}.image`)
  const policies = ['File', 'FallbackToLogsOnError']
  causes.chosen(`${field}.terminationMessagePolicy`, own(container, 'terminationMessagePolicy'), policies)
  checkPorts(`${field}.ports`, objectsAt(container, 'ports'), causes)
  checkEnvironment(field, container, causes)
  checkMounts(`${field}.volumeMounts`, objectsAt(container, 'volumeMounts'), volumes, causes)
  causes.chosen(`${field}.imagePullPolicy`, own(container, 'imagePullPolicy'), ['Always', 'IfNotPresent', 'Never'])
  checkResources(`${field}.resources`, objectAt(container, 'resources'), causes)
  checkIds(`${field}.securityContext`, objectAt(container, 'securityContext'), causes)
}

/** Checks the user and the group of a container. */
function checkIds(field: string, context: JsonObject | undefined, causes: Causes): void {
  for (const name of ['runAsUser', 'runAsGroup']) {
    const id = own(context ?? {}, name)
    if (id === undefined || (typeof id === 'number' && id >= 0 && id <= maxId)) continue
    causes.invalid(`${field}.${name}`, id, `must be between 0 and ${maxId}, inclusive`)
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

function checkMounts(field: string, mounts: readonly JsonObject[], volumes: ReadonlySet<string>, causes: Causes): void {
  const paths = new Set<string>()
  for (const [i, mount] of mounts.entries()) {
    const [at, name] = [`${field}[${i}]`, stringAt(mount, 'name') ?? '']
    const path = stringAt(mount, 'mountPath') ?? ''
    if (name === '') causes.required(`${at}.name`)
    if (!volumes.has(name)) causes.notFound(`${at}.name`, name)
    if (path === '') causes.required(`${at}.mountPath`)
    if (paths.has(path)) causes.invalid(`${at}.mountPath`, path, 'must be unique')
    paths.add(path)
    const [inner, expression] = [stringAt(mount, 'subPath') ?? '', stringAt(mount, 'subPathExpr') ?? '']
    // The server's own path is that of the list, without an index.
    if (inner !== '') checkInnerPath(`${field}.subPath`, inner, causes)
    if (expression === '') continue
    if (inner !== '') {
      causes.invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')
    }
    checkInnerPath(`${field}.subPathExpr`, expression, causes)
  }
}
