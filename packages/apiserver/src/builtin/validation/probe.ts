import { type Json, type JsonObject, objectAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkPort } from './ports.ts'

const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

/** Checks the probes of a container, and its handlers at the start and before the stop. */
export function checkProbes(field: string, container: JsonObject, grace: Json | undefined, causes: Causes): void {
  const lifecycle = objectAt(container, 'lifecycle')
  for (const hook of ['postStart', 'preStop']) {
    const handler = objectAt(lifecycle, hook)
    if (handler === undefined) continue
    checkHandler(`${field}.lifecycle.${hook}`, handler, causes)
    checkSleep(`${field}.lifecycle.${hook}`, handler, grace, causes)
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectAt(container, name)
    if (probe !== undefined) checkProbe(`${field}.${name}`, probe, name === 'readinessProbe', causes)
  }
}

function checkProbe(field: string, probe: JsonObject, isReadiness: boolean, causes: Causes): void {
  checkHandler(field, probe, causes)
  for (const name of numbers) causes.notNegative(`${field}.${name}`, own(probe, name))
  const grace = own(probe, 'terminationGracePeriodSeconds')
  if (typeof grace === 'number' && grace <= 0) {
    causes.invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')
  }
  const successes = own(probe, 'successThreshold')
  if (!isReadiness && successes !== 1) causes.invalid(`${field}.successThreshold`, successes, 'must be 1')
  if (isReadiness && grace !== undefined) {
    causes.invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes')
  }
}

/** Checks a handler that waits. It must end within the grace period of its Pod. */
function checkSleep(field: string, handler: JsonObject, grace: Json | undefined, causes: Causes): void {
  const others = ['exec', 'httpGet', 'tcpSocket'].some(name => own(handler, name) !== undefined)
  const sleep = objectAt(handler, 'sleep')
  const seconds = own(sleep ?? {}, 'seconds') ?? 0
  if (others || sleep === undefined || typeof grace !== 'number') return
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= grace) return
  causes.invalid(
    `${field}.sleep`,
    seconds,
    `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
  )
}

/** Checks a handler, which must have exactly one action. */
function checkHandler(field: string, handler: JsonObject, causes: Causes): void {
  const [first, ...more] = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'].filter(
    name => own(handler, name) !== undefined,
  )
  if (first === undefined) return causes.required(field, 'must specify a handler type')
  const action = objectAt(handler, first) ?? {}
  if (first === 'exec' && stringsAt(action, 'command').length === 0) causes.required(`${field}.exec.command`)
  if (first === 'httpGet') checkHttpGet(`${field}.httpGet`, action, causes)
  if (first === 'tcpSocket' || first === 'grpc') checkPort(`${field}.${first}.port`, own(action, 'port'), causes)
  for (const name of more) causes.forbidden(`${field}.${name}`, 'may not specify more than 1 handler type')
}

function checkHttpGet(field: string, action: JsonObject, causes: Causes): void {
  if ((stringAt(action, 'path') ?? '') === '') causes.required(`${field}.path`)
  checkPort(`${field}.port`, own(action, 'port'), causes)
  const scheme = stringAt(action, 'scheme') ?? ''
  if (!['HTTP', 'HTTPS'].includes(scheme)) causes.unsupported(`${field}.scheme`, scheme, ['HTTP', 'HTTPS'])
}
