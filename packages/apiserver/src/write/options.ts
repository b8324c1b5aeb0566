import { type Json, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import { invalid, required, tooLong } from '../metadata/validate.ts'
import { DecodeError } from '../objects/decoding.ts'
import { parseInteger } from '../requests/list-options.ts'
import { isTrue } from '../requests/request-info.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { type BodyOf, parseBody } from './body.ts'
import type { FieldValidation } from './fields.ts'
import type { DeleteOptions } from './writer.ts'

const kinds: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
}

/** The place in a real server's code that knows the kinds of options. */
const optionsScheme = 'pkg/runtime/scheme.go:111'

function unsupported(field: string, value: Json, supported: readonly string[]): StatusCause {
  const known = supported.map(one => JSON.stringify(one)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${known}`
  return { reason: 'FieldValueNotSupported', message, field }
}

function refuse(kind: string, causes: readonly StatusCause[]): void {
  if (causes.length === 0) return
  throw StatusError.invalid({ group: 'meta.k8s.io', plural: kind.toLowerCase(), kind }, '', causes)
}

function dryRunProblems(asked: readonly string[]): StatusCause[] {
  const all = asked.every(one => one === 'All')
  return all ? [] : [unsupported('dryRun', [...asked], ['All'])]
}

/** The options of a create, an update, a patch or an apply. Throws the server's 422 for invalid ones. */
export function readWriteOptions(
  query: URLSearchParams,
  verb: string,
  applies: boolean,
): { readonly dryRun: boolean; readonly validation: FieldValidation } {
  const dryRun = query.getAll('dryRun').filter(one => one !== '')
  const manager = query.get('fieldManager') ?? ''
  const causes: StatusCause[] = []
  if (verb === 'patch' && !applies && query.get('force') !== null) {
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
      field: 'force',
    })
  }
  if (applies && manager === '') causes.push(required('fieldManager', 'is required for apply patch'))
  causes.push(...managerProblems(manager), ...dryRunProblems(dryRun))
  const validation = query.get('fieldValidation') ?? ''
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    causes.push(unsupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']))
  }
  refuse(kinds[verb] ?? 'UpdateOptions', causes)
  return {
    dryRun: dryRun.length > 0,
    validation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
  }
}

function managerProblems(manager: string): StatusCause[] {
  const causes: StatusCause[] = []
  if (Buffer.byteLength(manager) > 128) causes.push(tooLong('fieldManager', 128))
  let position = 0
  for (const character of manager) {
    if (character !== ' ' && /[\p{C}\p{Z}]/u.test(character)) {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
      causes.push(invalid('fieldManager', manager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
  return causes
}

/** The options of a delete: from its body, or from the query if there is no body. Throws the server's 400 and 422. */
export function readDeleteOptions(request: BodyOf, query: URLSearchParams): DeleteOptions {
  const { body } = request
  const value = body.length === 0 ? {} : parseOptions(request)
  const { kind = '', apiVersion = '' } = value
  if (kind !== '' && kind !== 'DeleteOptions') {
    const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion || 'meta.k8s.io/v1')}`
    throw StatusError.badRequest(`${what} in scheme ${JSON.stringify(optionsScheme)}`)
  }
  const asked = body.length === 0 ? query : new URLSearchParams()
  const preconditions = objectAt(value, 'preconditions') ?? queriedPreconditions(asked)
  const policy = stringAt(value, 'propagationPolicy') ?? asked.get('propagationPolicy') ?? undefined
  const queried = asked.has('orphanDependents') ? isTrue(asked.get('orphanDependents')) : undefined
  const orphan = own(value, 'orphanDependents') ?? queried
  const given = own(value, 'dryRun')
  const dryRun = (Array.isArray(given) ? given.map(String) : asked.getAll('dryRun')).filter(one => one !== '')
  const grace = own(value, 'gracePeriodSeconds') ?? parseInteger(asked.get('gracePeriodSeconds'))
  const causes: StatusCause[] = []
  if (orphan !== undefined && policy !== undefined) {
    causes.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !isPolicy(policy)) {
    causes.push(unsupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']))
  }
  refuse('DeleteOptions', [...causes, ...dryRunProblems(dryRun)])
  return {
    uid: stringAt(preconditions, 'uid'),
    resourceVersion: stringAt(preconditions, 'resourceVersion'),
    propagationPolicy: isPolicy(policy)
      ? policy
      : orphan === true
        ? 'Orphan'
        : orphan === false
          ? 'Background'
          : undefined,
    gracePeriodSeconds: typeof grace === 'number' ? grace : undefined,
    dryRun: dryRun.length > 0,
  }
}

/** The preconditions in the query of a delete; `undefined` if there are none. */
export function queriedPreconditions(query: URLSearchParams): JsonObject | undefined {
  const found = ['uid', 'resourceVersion'].flatMap(name => {
    const value = query.get(name) ?? ''
    return value === '' ? [] : [[name, value]]
  })
  return found.length === 0 ? undefined : (Object.fromEntries(found) as JsonObject)
}

function isPolicy(text: string | undefined): text is 'Background' | 'Foreground' | 'Orphan' {
  return text === 'Background' || text === 'Foreground' || text === 'Orphan'
}

/** Parses the options in a request's body. Throws the server's 400. */
export function parseOptions(request: BodyOf): ReturnType<typeof parseBody> {
  try {
    return parseBody(request)
  } catch (error) {
    throw error instanceof DecodeError ? StatusError.badRequest(error.message) : error
  }
}
