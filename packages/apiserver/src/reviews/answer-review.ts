import { toLatin1 } from '../objects/stored.ts'
import type { ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { checkContentType } from '../write/content-type.ts'
import { readWriteOptions } from '../write/options.ts'
import type { WriteRequest } from '../write/write-request.ts'
import { isReview, review } from './access-reviews.ts'
import type { ActionHost } from './action-host.ts'
import { bind } from './binding.ts'
import { evict } from './eviction.ts'
import { tokenFor } from './token-request.ts'

/** Whether a request stores no object: a review, a token, an eviction, a binding. */
export function isAction(type: ResourceType, { subresource }: ResourceTarget): boolean {
  return (subresource === '' && isQuestion(type)) || isSubresourceAction(type, subresource)
}

/** Whether objects of a resource can only be created and are never stored. */
export function isQuestion(type: ResourceType): boolean {
  return isReview(type) || isBinding(type)
}

function isBinding({ group, plural, custom }: ResourceType): boolean {
  return !custom && group === '' && plural === 'bindings'
}

/** Whether this part of the server carries out a subresource. */
export function isSubresourceAction({ group, plural, custom }: ResourceType, subresource: string): boolean {
  if (custom || group !== '') return false
  const ofPods = subresource === 'eviction' || subresource === 'binding'
  return (plural === 'pods' && ofPods) || (plural === 'serviceaccounts' && subresource === 'token')
}

/** Carries out an action and answers it. Throws the refusal. */
export function answerAction(host: ActionHost, write: WriteRequest): void {
  const { target, responder, info, verb } = write
  checkContentType(write.request)
  const { validation } = readWriteOptions(info.query, verb, false)
  if (target.subresource === 'eviction') {
    const { code, status } = evict(host, write, validation)
    return responder.json(code, status)
  }
  if (target.subresource === 'binding' || isBinding(write.type))
    return responder.json(201, bind(host, write, validation))
  const answered = target.subresource === 'token' ? tokenFor : review
  const value = answered(host, write, validation)
  const text = toLatin1(`${JSON.stringify(value)}\n`)
  responder.latin1(201, text, text.length)
}
