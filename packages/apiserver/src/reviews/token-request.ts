import { type JsonObject, objectAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { objectKey } from '../store/store.ts'
import { parseObject } from '../write/body.ts'
import type { FieldValidation } from '../write/fields.ts'
import { own as ownFields } from '../write/managed.ts'
import { readObject } from '../write/read-object.ts'
import type { WriteRequest } from '../write/write-request.ts'
import { type BoundObject, tokenIssuer } from './account-tokens.ts'
import type { ActionHost } from './action-host.ts'

const shortestSeconds = 600
const longestSeconds = 2 ** 32

/** Carries out `serviceaccounts/token`: returns the request with a token. */
export function tokenFor(
  host: Pick<ActionHost, 'webhooks' | 'writer' | 'clock' | 'registry' | 'store' | 'tokens'>,
  write: WriteRequest,
  validation: FieldValidation,
): JsonObject {
  const { target, type, request } = write
  const asked: ResourceType = {
    ...type,
    kind: 'TokenRequest',
    group: 'authentication.k8s.io',
    version: 'v1',
    apiVersion: 'authentication.k8s.io/v1',
  }
  const body = readObject(parseObject(request, asked), { ...write, type: asked }, validation)
  ownFields(host, { ...write, type: asked }, undefined, body)
  const given = host.webhooks.mutate(body, undefined)
  const { name = '' } = given.metadata
  if (name !== '' && name !== target.name) {
    throw StatusError.invalid(asked, target.name, [
      wrong('metadata.name', name, 'must match the service account name if specified'),
    ])
  }
  const account = host.writer.read(type, target.namespace, target.name).object
  const spec = objectAt(given, 'spec') ?? {}
  const seconds = Number(own(spec, 'expirationSeconds') ?? 3600)
  const audiences = stringsAt(spec, 'audiences')
  const causes: StatusCause[] = []
  if (seconds < shortestSeconds) {
    causes.push(wrong('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > longestSeconds) {
    causes.push(wrong('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  if (causes.length > 0) throw StatusError.invalid(asked, '', causes)
  const now = host.clock.now()
  const { uid = '' } = account.metadata
  if (given.metadata.uid !== undefined && given.metadata.uid !== uid) {
    const why = `the UID in the token request (${given.metadata.uid}) does not match the UID of the service account (${uid})`
    throw StatusError.conflict({ ...asked, plural: asked.kind }, target.name, why)
  }
  const whole: KubeObject = {
    ...given,
    metadata: {
      ...given.metadata,
      name: target.name,
      namespace: target.namespace,
      uid,
      creationTimestamp: timestamp(now),
    },
    spec: {
      audiences: audiences.length === 0 ? [tokenIssuer] : audiences,
      expirationSeconds: seconds,
      boundObjectRef: own(spec, 'boundObjectRef') ?? null,
    },
    status: { token: '', expirationTimestamp: null },
  }
  host.webhooks.validate(whole, undefined)
  const bound = boundTo(host, objectAt(spec, 'boundObjectRef'), target.namespace, target.name)
  const token = host.tokens.issue({
    namespace: target.namespace,
    name: target.name,
    uid,
    audiences: audiences.length === 0 ? [tokenIssuer] : audiences,
    seconds,
    bound: bound?.object,
    node: bound?.node,
  })
  return { ...whole, status: { token, expirationTimestamp: timestamp(now + seconds * 1000) } }
}

/** The object to bind a token to, and the node of a pod. Throws the server's refusals. */
function boundTo(
  { store, registry }: Pick<ActionHost, 'store' | 'registry'>,
  reference: JsonObject | undefined,
  namespace: string,
  account: string,
): { readonly object: BoundObject; readonly node?: { readonly name: string; readonly uid: string } } | undefined {
  if (reference === undefined) return undefined
  const kind = stringAt(reference, 'kind') ?? ''
  const name = stringAt(reference, 'name') ?? ''
  const apiVersion = stringAt(reference, 'apiVersion') ?? ''
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')) {
    const shown = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
    throw StatusError.badRequest(`cannot bind token to object of type ${shown}`)
  }
  const type = registry.resolve('', 'v1', `${kind.toLowerCase()}s`)
  const version = store.collection(type).get(objectKey(kind === 'Node' ? '' : namespace, name))
  if (version === undefined) throw StatusError.notFound(type, name)
  const asked = stringAt(reference, 'uid') ?? ''
  let node: { name: string; uid: string } | undefined
  if (kind === 'Pod') {
    const spec = objectAt(materialise(version, 'v1', 'Pod'), 'spec')
    if ((stringAt(spec, 'serviceAccountName') ?? '') !== account) {
      const why = `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`
      throw StatusError.badRequest(why)
    }
    const nodeName = stringAt(spec, 'nodeName') ?? ''
    const there = store.collection(registry.resolve('', 'v1', 'nodes')).get(nodeName)
    if (nodeName !== '') node = { name: nodeName, uid: there?.uid ?? '' }
  }
  if (asked !== '' && asked !== version.uid) {
    const why = `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`
    throw StatusError.conflict({ group: '', plural: kind, kind }, name, why)
  }
  return { object: { kind, name, uid: version.uid }, ...(node === undefined ? {} : { node }) }
}

function wrong(field: string, value: unknown, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field }
}
