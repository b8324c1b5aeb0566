import { type Json, type JsonObject, objectAt, own, qualifiedNameProblems, stringAt } from '@wherry/cel/internal'
import { isLess, isWhole } from '../quantity.ts'
import type { Causes } from './causes.ts'

const standard = new Set(['cpu', 'memory', 'ephemeral-storage'])
/** The resources that are counted in whole numbers. */
const counted = new Set([
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
])
/** The resources that quotas limit, without huge pages. */
const ofQuotas = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'requests.storage', ...counted],
  ...['requests', 'limits'].flatMap(one => [`${one}.cpu`, `${one}.memory`, `${one}.ephemeral-storage`]),
])

/** The reasons for which a text is not the name of a resource. */
export function resourceProblems(name: string): string[] {
  const problems = qualifiedNameProblems(name)
  if (problems.length > 0 || name.includes('/') || isOfQuotas(name) || name === 'storage') return problems
  return ['must be a standard resource type or fully qualified']
}

/** The reasons for which containers can't request a resource. */
export function containerResourceProblems(name: string): string[] {
  const problems = resourceProblems(name)
  if (isNative(name)) {
    return name.includes('/') || isStandard(name)
      ? problems
      : [...problems, 'must be a standard resource for containers']
  }
  return isExtended(name) ? problems : [...problems, "doesn't follow extended resource name standard"]
}

/** The reasons for which a quota can't limit a resource. */
export function quotaResourceProblems(name: string): string[] {
  const problems = resourceProblems(name)
  return name.includes('/') || isOfQuotas(name) ? problems : [...problems, 'must be a standard resource for quota']
}

/** Checks the requests and limits of a container. */
export function checkResources(field: string, resources: JsonObject | undefined, causes: Causes): void {
  const limits = objectAt(resources, 'limits') ?? {}
  const requests = objectAt(resources, 'requests') ?? {}
  for (const name of Object.keys(limits).sort()) checkLimit(`${field}.limits[${name}]`, name, limits[name], causes)
  for (const name of Object.keys(requests).sort()) {
    checkLimit(`${field}.requests[${name}]`, name, requests[name], causes)
    checkWithinLimit(field, name, requests, limits, causes)
  }
}

function checkLimit(at: string, name: string, amount: Json | undefined, causes: Causes): void {
  causes.invalid(at, name, ...containerResourceProblems(name))
  checkAmount(at, name, amount, causes)
}

/** Checks the amount of a resource. It is not negative, and whole if the resource is counted. */
export function checkAmount(at: string, name: string, amount: Json | undefined, causes: Causes): void {
  const text = String(amount ?? '0')
  checkNotNegative(at, text, causes)
  if ((counted.has(name) || isExtended(name)) && !isWhole(text)) causes.invalid(at, text, 'must be an integer')
}

function checkWithinLimit(field: string, name: string, requests: JsonObject, limits: JsonObject, causes: Causes): void {
  const [asked, limit] = [stringAt(requests, name) ?? '0', stringAt(limits, name)]
  const overcommits = mayOvercommit(name)
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
/** Whether Kubernetes itself defines a resource. */
export const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

/** Whether the name is of a resource that others than Kubernetes define: `example.com/gpu`. */
function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false
  return qualifiedNameProblems(`requests.${name}`).length === 0
}

/** Whether a resource may be limited to more than is requested. */
export function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name)
}

/** Whether quotas limit a resource by its plain name. */
export function isOfQuotas(name: string): boolean {
  return ofQuotas.has(name) || /^(requests\.)?hugepages-/.test(name)
}

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
