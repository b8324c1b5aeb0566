import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import { goKind, syntaxProblem } from '../../objects/decoding.ts'
import type { Causes, Check } from './causes.ts'

const account = 'kubernetes.io/service-account.name'
const redacted = '<secret contents redacted>'

/** Checks the keys of a Secret with a type of Kubernetes itself. */
export const checkSecretType: Check = (secret, causes) => {
  const data = objectAt(secret, 'data') ?? {}
  const needed = (key: string): void => {
    if (own(data, key) === undefined) causes.required(`data[${key}]`)
  }
  switch (stringAt(secret, 'type')) {
    case 'kubernetes.io/service-account-token':
      if ((secret.metadata.annotations?.[account] ?? '') === '') causes.required(`metadata.annotations[${account}]`)
      return
    case 'kubernetes.io/dockercfg':
      return checkJson('.dockercfg', data, causes)
    case 'kubernetes.io/dockerconfigjson':
      return checkJson('.dockerconfigjson', data, causes)
    case 'kubernetes.io/basic-auth':
      if (own(data, 'username') !== undefined || own(data, 'password') !== undefined) return
      needed('username')
      return needed('password')
    case 'kubernetes.io/ssh-auth':
      if ((stringAt(data, 'ssh-privatekey') ?? '') === '') causes.required('data[ssh-privatekey]')
      return
    case 'kubernetes.io/tls':
      needed('tls.crt')
      return needed('tls.key')
    default:
  }
}

function checkJson(key: string, data: JsonObject, causes: Causes): void {
  const text = stringAt(data, key)
  if (text === undefined) return causes.required(`data[${key}]`)
  const problem = jsonProblem(Buffer.from(text, 'base64').toString('utf8'))
  if (problem !== undefined) causes.invalid(`data[${key}]`, redacted, problem)
}

/** The message of Go's parser for a text that is no object. */
function jsonProblem(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as Json
    if (value === null || isObject(value)) return undefined
    return `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`
  } catch (error) {
    return syntaxProblem(error as Error)
  }
}
