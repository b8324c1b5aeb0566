import {
  dnsLabelProblems,
  type Json,
  type JsonObject,
  objectAt,
  qualifiedNameProblems,
  sameJson,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { isLess, numberOf } from '../quantity.ts'
import { type Causes, type Check, checked } from './causes.ts'
import { checkSelector } from './label-selector.ts'
import { checkStorage, isNative } from './resources.ts'
import { checkOf, entries, fields, free, maybe, type Rule, required } from './rules.ts'

const alone = 'ReadWriteOncePod'
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', alone]

/** Checks how a claim or a volume can be mounted. */
export function checkAccessModes(at: string, value: Json | undefined, causes: Causes): void {
  const modes = Array.isArray(value) ? (value as readonly string[]) : []
  for (const mode of modes) {
    if (!accessModes.includes(mode)) causes.unsupported(at, mode, accessModes)
  }
  if (modes.includes(alone) && modes.some(mode => mode !== alone && accessModes.includes(mode))) {
    causes.forbidden(at, `may not use ${alone} with other access modes`)
  }
}

const source = fields({
  name: required(),
  kind: required(),
  '': (at, _, causes, of) => {
    const kind = stringAt(of, 'kind') ?? ''
    if ((stringAt(of, 'apiGroup') ?? '') !== '' || kind === 'PersistentVolumeClaim') return
    causes.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  },
  apiGroup: free(subdomainProblems),
  namespace: free(dnsLabelProblems),
})

/** Checks that both forms of a claim's source agree. */
const checkSources: Rule = (at, _, causes, spec) => {
  const [local, reference] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')]
  if (local === undefined || reference === undefined) return
  const { namespace, ...same } = reference
  if ((namespace ?? '') !== '') {
    causes.invalid(at, {}, 'may not be specified when dataSourceRef.namespace is specified')
  } else if (!sameJson(local, same)) causes.invalid(at, {}, 'must match dataSourceRef')
}

const className = free(subdomainProblems)
const ofClaim = fields({
  accessModes: (at, modes, causes) => {
    if (modes === undefined) causes.required(at, 'at least 1 access mode is required')
  },
  selector: (at, _, causes, of) => checkSelector(at, objectAt(of, 'selector'), causes),
  '': (at, _, causes, of) => {
    checkAccessModes(`${at}.accessModes`, stringsAt(of, 'accessModes'), causes)
    checkStorage(`${at}.resources`, objectAt(of, 'resources'), causes)
  },
  storageClassName: className,
  volumeMode: maybe('Block', 'Filesystem'),
  dataSource: source,
  dataSourceRef: [source, (at, _, causes, of) => checkSources(at.slice(0, -'.dataSourceRef'.length), of, causes, of)],
  volumeAttributesClassName: className,
})

/** Checks the spec of a claim, of its own or in a template. */
export function checkClaimSpec(at: string, spec: JsonObject, causes: Causes): void {
  ofClaim(at, spec, causes, spec)
}

/** The problems of a claim. A real server checks the group of a source again only if the claim had a source without a group. */
export function newClaimProblems(claim: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const check = checked((object, causes) => checkClaimSpec('spec', objectAt(object, 'spec') ?? {}, causes))
  const before = objectAt(old, 'spec')
  const hadGroup = ['dataSource', 'dataSourceRef'].some(
    name => stringAt(objectAt(before, name), 'apiGroup') !== undefined,
  )
  return check(claim, old).filter(({ field }) => !(hadGroup && field?.endsWith('.apiGroup')))
}

const states = [
  ...['ControllerResizeInProgress', 'ControllerResizeInfeasible', 'NodeResizeInProgress'],
  ...['NodeResizeInfeasible', 'NodeResizePending'],
].sort()

function resourceProblem(at: string, name: string, causes: Causes): boolean {
  const problems = qualifiedNameProblems(name)
  causes.invalid(at, name, ...problems)
  const other = problems.length === 0 && isNative(name) && name !== 'storage'
  if (other) causes.unsupported(at, name, ['storage'])
  return other || problems.length > 0
}

function checkStored(at: string, _: string, amount: Json, causes: Causes): void {
  if (isLess(String(amount), '0')) {
    causes.invalid(at, Math.floor(numberOf(String(amount))), 'must be a valid resource quantity')
  }
}

export const checkClaimStatus: Check = checkOf({
  'status.capacity': entries(checkStored),
  'status.allocatedResourceStatuses': (at, value, causes, of) =>
    entries((_, name, state) => {
      resourceProblem(at, name, causes)
      if (!states.includes(state as string)) causes.unsupported(at, name, states)
    })(at, value, causes, of),
  'status.allocatedResources': (at, value, causes, of) =>
    entries((place, name, amount) => {
      if (!resourceProblem(at, name, causes)) checkStored(place, name, amount, causes)
    })(at, value, causes, of),
})
