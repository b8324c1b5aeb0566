const accepted = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** How an answer in that format is marked. */
export const openApiV2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Whether OpenAPI v2 is asked for in protobuf, the one format that kubectl and client-go ask for. */
export function takesOpenApiV2(accept: string | undefined): boolean {
  return accept?.includes(accepted) === true
}

/**
 * An OpenAPI v2 document that describes no kind, and says where they are described. kubectl looks into it for a kind that the documents
 * of v3 do not have, before it says that there is no such kind.
 */
export function emptyOpenApiV2(version: string): Buffer {
  const info = [
    field(1, Buffer.from('Kubernetes')),
    field(2, Buffer.from(version)),
    field(3, Buffer.from('The embedded API server describes its kinds in OpenAPI v3 alone: /openapi/v3')),
  ]
  return Buffer.concat([field(1, Buffer.from('2.0')), field(2, Buffer.concat(info))])
}

/** A field of a protobuf message whose value is bytes, less than 16 kB of them. */
function field(number: number, value: Buffer): Buffer {
  const { length } = value
  const size = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7]
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size]), value])
}
