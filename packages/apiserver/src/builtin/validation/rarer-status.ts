import { type Json, objectAt, own, qualifiedNameProblems, stringAt, subdomainProblems } from '@wherry/cel/internal'
import { ipProblems, versionOf } from './addresses.ts'
import type { Check } from './causes.ts'
import { checkOf, chosen, each, fields, free, notNegative, type Rule, required, unique } from './rules.ts'

const notADomain = 'must be a DNS name, not an IP address'
const badReason =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"

const host = free(text => [...subdomainProblems(text), ...(versionOf(text) === 0 ? [] : [notADomain])])

/** The way in which packets reach an IP address of a load balancer. */
const checkMode: Rule = (at, mode, causes, of) => {
  const isIp = (stringAt(of, 'ip') ?? '') !== ''
  if (mode === undefined) {
    if (isIp) causes.required(at, 'must be specified when `ip` is set')
  } else if (!isIp) causes.forbidden(at, 'may not be specified when `ip` is not set')
  else if (mode !== 'Proxy' && mode !== 'VIP') causes.unsupported(at, mode, ['Proxy', 'VIP'])
}

const checkServicePoints = checkOf({
  'status.loadBalancer.ingress': each(fields({ ip: free(ipProblems), ipMode: checkMode, hostname: host })),
})

export const checkServiceStatus: Check = (service, causes) => {
  const points = own(objectAt(objectAt(service, 'status'), 'loadBalancer') ?? {}, 'ingress') as Json[] | undefined
  if ((points ?? []).length > 0 && own(objectAt(service, 'spec') ?? {}, 'type') !== 'LoadBalancer') {
    causes.forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")
  } else checkServicePoints(service, causes)
}

export const checkIngressStatus: Check = checkOf({
  'status.loadBalancer.ingress': each(fields({ ip: free(ipProblems), hostname: host })),
})

export const checkAutoscalerStatus: Check = checkOf({
  'status.conditions': each(fields({ observedGeneration: notNegative })),
  'status.currentReplicas': notNegative,
  'status.desiredReplicas': notNegative,
})

const condition = fields({
  type: [required('is required'), free(qualifiedNameProblems)],
  status: chosen('False', 'True', 'Unknown'),
  observedGeneration: notNegative,
  lastTransitionTime: required(),
  reason: [required(), free(text => (/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(text) ? [] : [badReason]))],
})

export const checkBudgetStatus: Check = checkOf({
  'status.conditions': [each(condition), unique('type')],
  ...Object.fromEntries(
    ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'].map(name => [
      `status.${name}`,
      notNegative,
    ]),
  ),
})
