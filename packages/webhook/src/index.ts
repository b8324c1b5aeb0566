export type { AdmissionAnswer } from './admission/answer.ts'
export type { AnswerStatus } from './admission/denials.ts'
export type { CertificateFiles } from './certificates/certificate-files.ts'
export type { CertificateOptions } from './certificates/options.ts'
export type { RoundTrip } from './conversion/conversion.ts'
export { Conversion } from './conversion/conversion.ts'
export type { ConvertContext, Converted, Converter } from './conversion/converter.ts'
export type { ConversionError, ConversionErrorCode } from './conversion/errors.ts'
export { UnconvertibleError } from './conversion/errors.ts'
export type { LostFields, RoundTripError, RoundTripsOptions } from './conversion/round-trips.ts'
export { roundTrips } from './conversion/round-trips.ts'
export type { ConversionStanza } from './conversion/stanza.ts'
export type { ForOptions, SubresourceOptions } from './declaration/builder.ts'
export { NamedWebhook, WebhookBuilder } from './declaration/builder.ts'
export type { AnyHandler, FailurePolicy, WebhookDefinition } from './declaration/definition.ts'
export type { WebhookUsageCode } from './errors.ts'
export { NotInCacheError, WebhookUsageError } from './errors.ts'
export type {
  CachedKey,
  CachedListOptions,
  CachedRead,
  CommonContext,
  DenyOptions,
  Mutate,
  MutateContext,
  ReviewedObjects,
  Submitted,
  Validate,
  ValidateContext,
} from './handler/context.ts'
export type { AdmissionRequest, AdmissionUser, Operation } from './handler/request.ts'
export type { WebhooksOptions } from './options.ts'
export type { WebhookConfiguration, WebhookService } from './scope/configurations.ts'
export type { CertificateSource, ServingCertificate } from './server/certificates.ts'
export { Webhooks } from './webhooks.ts'
