import type { Said } from './error-of-answer.ts'
import { namesOf, type RequestInfo } from './request-info.ts'

/**
 * The parts of a `Status` about a sensitive resource for an error. All texts may come from a webhook, and quote the object, so the
 * message is made of a reason that Kubernetes has, the names in the request, and the fields of the causes.
 */
export function sensitiveParts({ reason, message, causes, details }: Said, about: RequestInfo): Said {
  const [plural = 'the resource', , group] = about.resource?.split('/').reverse() ?? []
  const { name, namespace } = namesOf(about)
  const isOfNamespace = details.kind === 'namespaces' && details.name === namespace && namespace !== undefined
  const isOfObject = details.name !== undefined && details.name === name
  const reported = causes.map(cause => ({
    reason: knownReason(cause.reason),
    message: '',
    field: fieldPath.test(cause.field) ? cause.field : '',
  }))
  const subject = isOfNamespace ? `namespaces "${namespace}"` : isOfObject ? `${plural} "${name}"` : plural
  return {
    reason: knownReason(reason),
    message: words(subject, knownReason(reason), reported, message),
    causes: reported,
    details: {
      name: isOfNamespace || isOfObject ? details.name : undefined,
      group: isOfNamespace || details.kind === undefined ? undefined : group,
      kind: isOfNamespace ? details.kind : details.kind === undefined ? undefined : plural,
      uid: details.uid !== undefined && uid.test(details.uid) ? details.uid : undefined,
    },
  }
}

/** The text of an error for an answer that is no `Status`. */
export function sensitiveText(text: string): string {
  const known = serverWords.find(one => text.includes(one))
  return `${known === undefined ? '' : `${known} `}(the server's message is not shown: the resource is sensitive)`
}

/** The API server's own messages that callers branch on. */
const serverWords = ['Too large resource version', 'request is too large', '404 page not found']

function words(subject: string, reason: string, causes: Said['causes'], message: string): string {
  const fields = causes.filter(({ field }) => field !== '').map(one => `${one.field} ${one.reason}`.trim())
  const where = fields.length === 0 ? '' : `: ${fields.slice(0, 20).join(', ')}`
  const what = phrases.get(reason) ?? (reason === 'Forbidden' ? denial(message) : undefined)
  return what === undefined ? `${subject}${where} ${sensitiveText(message)}` : `${subject} ${what}${where}`
}

/** The verb of the missing right in RBAC's message. The rest of the message is in the request. */
function denial(message: string): string | undefined {
  const verb = / is forbidden: User "[^"]*" cannot (\w+) resource "/.exec(message)?.[1]
  return verb !== undefined && verbs.has(verb) ? `is forbidden: the user cannot ${verb} it` : undefined
}

const verbs: ReadonlySet<string> = new Set('get list watch create update patch delete deletecollection'.split(' '))

/** By reason: a message with the meaning of the server's own message. */
const phrases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    NotFound: 'not found',
    AlreadyExists: 'already exists',
    Conflict: 'conflicts with what the server has: the object was changed, or another manager owns a field',
  }),
)

const fieldPath = /^[\w.[\]/-]{1,512}$/
const uid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns `reason` if Kubernetes has it, else an empty text, because a webhook can answer with any text. */
function knownReason(reason: string): string {
  return reasons.has(reason) ? reason : ''
}

const reasons: ReadonlySet<string> = new Set(
  [
    'Unauthorized Forbidden NotFound AlreadyExists Conflict Gone Invalid ServerTimeout StoreReadError Timeout',
    'TooManyRequests BadRequest MethodNotAllowed NotAcceptable RequestEntityTooLarge UnsupportedMediaType InternalError',
    'Expired ServiceUnavailable FieldValueNotFound FieldValueRequired FieldValueDuplicate FieldValueInvalid',
    'FieldValueNotSupported FieldValueForbidden FieldValueTooLong FieldValueTooMany FieldValueTypeInvalid',
    'UnexpectedServerResponse FieldManagerConflict ResourceVersionTooLarge NamespaceTerminating DisruptionBudget',
  ].flatMap(line => line.split(' ')),
)
