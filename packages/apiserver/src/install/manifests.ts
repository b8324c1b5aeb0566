import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import { readYamlDocuments, YamlError, yamlError } from '../write/yaml.ts'

/** An object to install, and its name in errors. */
export interface Manifest {
  readonly object: JsonObject
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** The name in errors: `deploy/crd/games.yaml: CustomResourceDefinition games.arcade.example.com` */
  readonly title: string
}

/** An installable source: an object, YAML text, or the path of a file or folder. */
export type ManifestSource = string | object

/** The objects of a source, in its order. Throws an `Error` if a file can't be read, or if a manifest is no object of Kubernetes. */
export function manifestsOf(source: ManifestSource): Manifest[] {
  if (typeof source !== 'string') return manifestOf(source as JsonObject, '')
  return isText(source) ? documentsOf(source, '') : filesOf(source).flatMap(inFile)
}

/** Whether a source is a text. A manifest has two lines at least, or begins with a brace, unlike the path of a manifest. */
function isText(source: string): boolean {
  return source.includes('\n') || source.trimStart().startsWith('{')
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map(({ name }) => join(path, name))
    .sort()
}

function inFile(file: string): Manifest[] {
  return documentsOf(readFileSync(file, 'utf8'), `${file}: `)
}

function documentsOf(text: string, where: string): Manifest[] {
  try {
    return readYamlDocuments(text).flatMap(({ value, duplicates }) => {
      if (duplicates.length > 0) throw new YamlError(yamlError(duplicates))
      return value === null ? [] : manifestOf(value as JsonObject, where)
    })
  } catch (error) {
    if (error instanceof YamlError) throw new Error(`${where}${error.message}`)
    throw error
  }
}

function manifestOf(object: JsonObject, where: string): Manifest[] {
  if (!isObject(object)) throw new Error(`${where}${JSON.stringify(object)} is no object of Kubernetes`)
  const items = own(object, 'items')
  const [apiVersion = '', kind = ''] = [stringAt(object, 'apiVersion'), stringAt(object, 'kind')]
  // A list printed by `kubectl get -o yaml`.
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap(item => manifestOf(item as JsonObject, where))
  // A Kustomization is for kustomize, and no server has its kind.
  if (kind === 'Kustomization' && apiVersion.startsWith('kustomize.config.k8s.io/')) return []
  const name = stringAt(objectAt(object, 'metadata'), 'name') ?? ''
  const missing = Object.entries({ apiVersion, kind, 'metadata.name': name }).find(([, value]) => value === '')?.[0]
  if (missing !== undefined) throw new Error(`${where}${kind || 'an object'} has no ${missing}`)
  return [{ object, apiVersion, kind, name, title: `${where}${kind} ${name}` }]
}
