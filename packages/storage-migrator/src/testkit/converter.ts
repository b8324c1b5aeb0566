import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

/** The conversion of a definition by a webhook. */
export function conversion(url: string, caBundle?: string): CustomResourceDefinition['spec']['conversion'] {
  const clientConfig = { url, ...(caBundle !== undefined && { caBundle }) }
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
}

interface Converted {
  readonly apiVersion: string
  readonly metadata: { readonly name: string }
}

/** A conversion webhook for versions that differ only in their names. It can refuse objects. */
export class Converter {
  /** `version/name` */
  readonly #refused = new Set<string>()
  #failing = 0

  /** Refuses to convert the object to the version. */
  refuse(version: string, name: string): void {
    this.#refused.add(`${version}/${name}`)
  }

  /** Refuses nothing any more. */
  mend(): void {
    this.#refused.clear()
  }

  /** Leaves the next calls without an answer. */
  failNext(calls: number): void {
    this.#failing = calls
  }

  /** The ConversionReview with the answer. @throws Error for a call that gets no answer */
  answer(review: object): object {
    if (this.#failing > 0) {
      this.#failing -= 1
      throw new Error('Post "https://converter.example.com": connection refused')
    }
    const { request, ...rest } = review as {
      readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Converted[] }
    }
    const { uid, desiredAPIVersion, objects } = request
    const [, version] = desiredAPIVersion.split('/')
    const isRefused = objects.some(({ metadata }) => this.#refused.has(`${version}/${metadata.name}`))
    const response = isRefused
      ? { uid, result: { status: 'Failed', message: 'it has no players' } }
      : {
          uid,
          result: { status: 'Success' },
          convertedObjects: objects.map(object => ({ ...object, apiVersion: desiredAPIVersion })),
        }
    return { ...rest, response }
  }
}
