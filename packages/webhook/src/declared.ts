import type { ComponentDeclaration } from '@wherry/controller'
import { viewRights } from '@wherry/controller/internal'
import type { ConversionStanza } from './conversion/stanza.ts'
import type { WebhookDefinition } from './declaration/definition.ts'
import type { WebhookConfiguration, WebhookService } from './scope/configurations.ts'

/** The details for the deployment of an operator's webhooks, which `wherry manifests` reads. */
export interface WebhookDetails {
  readonly service: Required<WebhookService>
  /** The port that the server listens on. */
  readonly port: number
  readonly host?: string | undefined
  /** The address at which the API server calls the webhooks, in place of the Service. */
  readonly address?: string | undefined
  /** Whether requests are refused while no replica serves. */
  readonly fails: boolean
  /** The files of certificates that are mounted. */
  readonly files?: readonly string[] | undefined
  /** The arguments by which `kubectl delete` removes the configurations: `validatingwebhookconfiguration/game`. */
  readonly configured: readonly string[]
  /** The configurations for a manifest. Empty if the operator applies its configurations itself. */
  readonly configurations: readonly WebhookConfiguration[]
  readonly conversions: readonly ConversionStanza[]
}

/** The input of {@link webhooksDeclaration}. */
export interface DeclaredWebhooks {
  readonly operator: string
  readonly definitions: readonly WebhookDefinition[]
  readonly hasOwnCertificates: boolean
  /** Whether the operator applies its configurations. */
  readonly isApplied: boolean
  readonly details: Omit<WebhookDetails, 'configured'>
}

const admission = 'admissionregistration.k8s.io'
const kept = ['list', 'watch', 'patch']
/** The comment at the rule in the role, because the right is stronger than it looks. */
const anyRequest =
  "webhooks: this can't be limited by a name, so a stolen token can have any request reviewed; configurations: 'manifest' needs no such right"

/** The rights of an operator's webhooks, as listed in docs/webhooks.md, and the details for their deployment. */
export function webhooksDeclaration(declared: DeclaredWebhooks): ComponentDeclaration {
  const { operator, definitions, hasOwnCertificates, isApplied, details } = declared
  const secret = { group: '', resource: 'secrets', namespace: details.service.namespace }
  const certificates = { by: 'webhooks: certificates', exact: true }
  const types = (['mutating', 'validating'] as const).filter(type => definitions.some(one => one.type === type))
  return {
    rights: [
      ...(hasOwnCertificates
        ? [
            { verb: 'create', ...secret, ...certificates },
            ...kept.map(verb => ({ verb, ...secret, name: `${operator}-webhook-authorities`, ...certificates })),
          ]
        : []),
      ...(isApplied && details.address === undefined && types.length + details.conversions.length > 0
        ? [
            {
              verb: 'get',
              ...secret,
              resource: 'services',
              name: details.service.name,
              by: 'webhooks: its Service',
              exact: true,
            },
          ]
        : []),
      ...types.flatMap(type => {
        const right = { group: admission, resource: `${type}webhookconfigurations`, by: 'webhooks', exact: true }
        const made = isApplied ? [{ verb: 'create', ...right, by: anyRequest }] : []
        return [...made, ...kept.map(verb => ({ verb, ...right, name: operator }))]
      }),
      ...details.conversions.flatMap(({ definition: name }) => {
        const right = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', name, exact: true }
        return kept.map(verb => ({ verb, ...right, by: 'webhooks: conversion' }))
      }),
      ...definitions.flatMap(one => one.reads.flatMap(view => viewRights(view, `webhook ${one.name}: reads`))),
    ],
    details: {
      ...details,
      configured: types.map(type => `${type}webhookconfiguration/${operator}`),
    } satisfies WebhookDetails,
  }
}
