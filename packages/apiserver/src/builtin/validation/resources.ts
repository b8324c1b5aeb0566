import { type JsonObject, objectAt, own, qualifiedNameProblems, stringAt } from '@wherry/cel/internal'
import { isLess } from '../quantity.ts'
import type { Causes } from './causes.ts'

const standard = new Set(['cpu', 'memory', 'ephemeral-storage'])
/** The resources that quotas count and containers can't request. */
const ofQuotas = new Set([
  ...['requests', 'limits'].flatMap(one => [`${one}.cpu`, `${one}.memory`, `${one}.ephemeral-storage`]),
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps', 'storage'],
  ...['persistentvolumeclaims', 'requests.storage', 'services.nodeports', 'services.loadbalancers'],
])

/** Checks the requests and limits of a container. */
export function checkResources(field: string, resources: JsonObject | undefined, causes: Causes): void {
  const limits = objectAt(resources, 'limits') ?? {}
  const requests = objectAt(resources, 'requests') ?? {}
  for (const name of Object.keys(limits).sort()) checkAmount(`${field}.limits`, name, limits, causes)
  for (const name of Object.keys(requests).sort()) {
    checkAmount(`${field}.requests`, name, requests, causes)
    checkWithinLimit(field, name, requests, limits, causes)
  }
}

function checkAmount(field: string, name: string, amounts: JsonObject, causes: Causes): void {
  const at = `${field}[${name}]`
  causes.invalid(at, name, ...qualifiedNameProblems(name))
  if (!name.includes('/') && !isStandard(name)) {
    if (!ofQuotas.has(name)) causes.invalid(at, name, 'must be a standard resource type or fully qualified')
    causes.invalid(at, name, 'must be a standard resource for containers')
  }
  checkNotNegative(at, stringAt(amounts, name), causes)
}

function checkWithinLimit(field: string, name: string, requests: JsonObject, limits: JsonObject, causes: Causes): void {
  const [asked, limit] = [stringAt(requests, name) ?? '0', stringAt(limits, name)]
  const overcommits = isStandard(name) && !isHugePages(name)
  if (limit === undefined) {
    if (!overcommits) causes.required(`${field}.limits`, 'Limit must be set for non overcommitable resources')
    return
  }
  const [less, more] = [isLess(asked, limit), isLess(limit, asked)]
  if (!overcommits && (less || more)) {
    causes.invalid(`${field}.requests`, asked, `must be equal to ${name} limit of ${limit}`)
  } else if (more) causes.invalid(`${field}.requests`, asked, `must be less than or equal to ${name} limit of ${limit}`)
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isStandard = (name: string): boolean => standard.has(name) || isHugePages(name)

/** Checks an amount, which may be 0. */
export function checkNotNegative(field: string, amount: string | undefined, causes: Causes): void {
  if (amount?.startsWith('-')) causes.invalid(field, amount, 'must be greater than or equal to 0')
}

/** Checks the storage that a claim requests. */
export function checkStorage(field: string, resources: JsonObject | undefined, causes: Causes): void {
  const amount = stringAt(objectAt(resources, 'requests'), 'storage')
  if (own(objectAt(resources, 'requests') ?? {}, 'storage') === undefined) causes.required(`${field}[storage]`)
  else if (amount === '0' || amount?.startsWith('-')) {
    causes.invalid(`${field}[storage]`, amount, 'must be greater than zero')
  }
}
