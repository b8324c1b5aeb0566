import type { WebhookDefinition } from '../declaration/definition.ts'
import type { AdmissionRequest } from '../handler/request.ts'
import { type AdmissionAnswer, answer, refused } from './answer.ts'
import { refusal } from './denials.ts'
import { isFields } from './json.ts'
import type { HandlerParts } from './run-handler.ts'

const apiVersion = 'admission.k8s.io/v1'
/** The maximum length of a uid. Those of the API server have 36 characters. */
const longestUid = 128

/** The answer to the body of a request: an AdmissionReview in JSON, or the reason why the body is not one. */
export type ReviewAnswer = { readonly review: string } | { readonly badRequest: string }

/** Answers the body of a request. Never rejects. @param seen called with the request and its answer, if the body is an AdmissionReview */
export async function answerReview(
  definition: WebhookDefinition,
  body: Buffer,
  parts: HandlerParts,
  seen?: (request: AdmissionRequest, answer: AdmissionAnswer) => void,
): Promise<ReviewAnswer> {
  let review: unknown
  try {
    review = JSON.parse(body.toString())
  } catch {
    return { badRequest: 'the body is not JSON' }
  }
  const { request, apiVersion: version, kind } = isFields(review) ? review : {}
  if (!isFields(request) || typeof request.uid !== 'string' || request.uid.length > longestUid)
    return { badRequest: 'the body is no AdmissionReview with a request' }
  const { uid } = request
  if (version !== apiVersion || kind !== 'AdmissionReview') {
    const message = `this webhook takes an AdmissionReview of ${apiVersion} only: set admissionReviewVersions to ["v1"]`
    return { review: written(uid, refused(refusal(400, message))) }
  }
  const problem = problemOf(request)
  if (problem !== undefined) return { review: written(uid, refused(refusal(400, problem))) }
  const asked = request as unknown as AdmissionRequest
  const said = await answer(definition, asked, parts)
  seen?.(asked, said)
  return { review: written(uid, said) }
}

/** The problem with the fields of a request that are read; `undefined` if there is none. */
function problemOf(request: Readonly<Record<string, unknown>>): string | undefined {
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string'
  const isObject = (value: unknown): boolean => value === undefined || value === null || isFields(value)
  const { resource, userInfo } = request
  const texts = ['operation', 'name', 'namespace', 'subResource'].filter(field => !isText(request[field]))
  const objects = ['object', 'oldObject', 'options'].filter(field => !isObject(request[field]))
  const groups = isFields(userInfo) ? userInfo.groups : undefined
  const wrong = [
    ...texts,
    ...objects,
    ...(userInfo === undefined || isFields(userInfo) ? [] : ['userInfo']),
    ...(isFields(resource) ? [] : ['resource']),
    ...(groups === undefined || Array.isArray(groups) ? [] : ['userInfo.groups']),
  ]
  return wrong.length === 0 ? undefined : `the request of the AdmissionReview has a wrong ${wrong.join(', ')}`
}

function written(uid: string, { allowed, warnings, patch, status }: AdmissionAnswer): string {
  const response = {
    uid,
    allowed,
    ...(warnings.length > 0 && { warnings }),
    ...(patch.length > 0 && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
    ...(status !== undefined && { status }),
  }
  return JSON.stringify({ apiVersion, kind: 'AdmissionReview', response })
}
