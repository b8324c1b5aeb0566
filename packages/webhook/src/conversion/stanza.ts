import type { CustomResourceConversion } from '@wherry/client/resources/apiextensions'
import type { WebhookPlace } from '../scope/configurations.ts'
import type { Conversion } from './conversion.ts'

/** The field `spec.conversion` of a CustomResourceDefinition, without a bundle. */
export interface ConversionStanza {
  /** The name of the definition. */
  readonly definition: string
  readonly conversion: CustomResourceConversion
}

/** The path that the API server calls for the conversions of a kind. */
export function conversionPath({ name }: Conversion): string {
  return `/convert/${name}`
}

export function conversionStanza(conversion: Conversion, { service, origin }: WebhookPlace): ConversionStanza {
  const path = conversionPath(conversion)
  const { namespace, name, port = 443 } = service
  const clientConfig = origin === undefined ? { service: { namespace, name, port, path } } : { url: `${origin}${path}` }
  return {
    definition: conversion.name,
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
  }
}
