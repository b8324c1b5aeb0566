import { Conversion } from '@wherry/webhook'
import { type Notice, notices, noticesV1beta1 } from './notice.ts'

/** Keeps `spec.text.lines` of an object at v1beta1, which has no field for it. */
export const linesAnnotation = 'board.example.com/lines'

/** What the annotation says. A writer of v1beta1 can put anything there, and a value that is no number of lines stays an annotation. */
function linesOf(kept: string | undefined): number | undefined {
  const lines = Number(kept)
  return `${lines}` === kept && Number.isInteger(lines) && lines >= 1 && lines <= 100 ? lines : undefined
}

/** The operator works with v1, so that is the hub. Nothing gets lost on the way to v1beta1 and back. */
export const noticeConversion: Conversion<Notice> = new Conversion(notices).version(noticesV1beta1, {
  toHub: ({ metadata, spec, status }) => {
    const { [linesAnnotation]: kept, ...annotations } = metadata.annotations ?? {}
    const lines = linesOf(kept)
    const { message, ...others } = spec ?? {}
    return {
      ...(lines !== undefined && { metadata: { annotations } }),
      spec: spec && { ...others, text: { body: message, ...(lines !== undefined && { lines }) } },
      ...(status && { status }),
    }
  },
  fromHub: ({ metadata, spec, status }) => {
    const { text, ...others } = spec ?? {}
    const annotations = { ...metadata.annotations, [linesAnnotation]: `${text?.lines}` }
    return {
      ...(text?.lines !== undefined && { metadata: { annotations } }),
      spec: spec && { ...others, message: text?.body },
      ...(status && { status }),
    }
  },
})
