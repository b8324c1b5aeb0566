import { type JsonObject, objectsAt, qualifiedNameProblems, stringAt } from '@wherry/cel/internal'
import type { Declared, Expression } from '@wherry/cel/internal/evaluator'
import { invalid, required } from '../metadata/validate.ts'
import { cel } from '../schema/rules.ts'
import type { StatusCause } from '../status.ts'

const most = 64

/** The conditions (`matchConditions`) of a webhook or a policy, compiled. */
export function compileConditions(parent: JsonObject, declared: Declared): readonly Expression[] {
  return objectsAt(parent, 'matchConditions').map(one =>
    cel().compileExpression(stringAt(one, 'expression') ?? '', ['bool'], declared),
  )
}

/** The server's objections to the conditions of a webhook or a policy, at `path`. `params`: whether they may use `params`. */
export function conditionProblems(parent: JsonObject, path: string, params: boolean): StatusCause[] {
  const conditions = objectsAt(parent, 'matchConditions')
  const at = `${path}.matchConditions`
  const seen = new Set<string>()
  const each = conditions.flatMap((one, i) => {
    const name = stringAt(one, 'name') ?? ''
    const field = `${at}[${i}]`
    const repeated = seen.has(name)
    if (name !== '') seen.add(name)
    return [
      ...expressionProblems((stringAt(one, 'expression') ?? '').trim(), field, params),
      ...(name === ''
        ? [required(`${field}.name`, '')]
        : qualifiedNameProblems(name).map(why => invalid(`${field}.name`, name, why))),
      ...(repeated
        ? [
            {
              reason: 'FieldValueDuplicate',
              message: `Duplicate value: ${JSON.stringify(name)}`,
              field: `${field}.name`,
            },
          ]
        : []),
    ]
  })
  if (conditions.length <= most) return each
  const message = `Too many: ${conditions.length}: must have at most ${most} items`
  return [{ reason: 'FieldValueTooMany', message, field: at }, ...each]
}

function expressionProblems(source: string, field: string, params: boolean): StatusCause[] {
  if (source === '') return [required(`${field}.expression`, '')]
  return problemsOf(cel().compileExpression(source, ['bool'], { params, authorizer: true }), `${field}.expression`)
}

/** The causes for an expression that does not compile. */
export function problemsOf({ source, program, problem, internal }: Expression, field: string): StatusCause[] {
  if (program !== undefined) return []
  if (internal) return [{ reason: 'InternalError', message: `Internal error: ${problem}`, field }]
  return [invalid(field, source, problem)]
}
