import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { int } from '@wherry/crd'

/**
 * A notice on the board of its namespace.
 *
 * @group board.example.com
 * @version v1
 * @storage
 * @printColumn Lines .status.lines
 */
export interface Notice {
  metadata?: ObjectMeta
  /** What the author wants. */
  spec: {
    /** What it says. */
    text: NoticeText
    /**
     * Whether it is shown above all others.
     *
     * @default false
     */
    urgent?: boolean
  }
  /** What the operator has seen. */
  status?: NoticeStatus
}

/** The text of a notice. */
interface NoticeText {
  /** The text itself. */
  body: Body
  /**
   * How many lines of it are shown. By default all of them.
   *
   * @minimum 1
   * @maximum 100
   */
  lines?: int
}

/**
 * A rule about one field, which the API server evaluates itself.
 *
 * @maxLength 2000
 * @validation `self.trim() != ''` it has nothing but blanks
 */
type Body = string

/** What the operator has seen of a notice. */
interface NoticeStatus {
  /** How many lines are shown. */
  lines?: int
}

/**
 * A notice on the board of its namespace, as the releases before had it.
 *
 * @group board.example.com
 * @kind Notice
 * @version v1beta1
 * @deprecated use board.example.com/v1, in which spec.message is spec.text.body
 * @printColumn Lines .status.lines
 */
export interface NoticeV1beta1 {
  metadata?: ObjectMeta
  /** What the author wants. */
  spec: {
    /** What it says. */
    message: Body
    /**
     * Whether it is shown above all others.
     *
     * @default false
     */
    urgent?: boolean
  }
  /** What the operator has seen. */
  status?: NoticeStatus
}

const names = { group: 'board.example.com', kind: 'Notice', plural: 'notices', namespaced: true } as const

export const notices: Resource<Notice, 'namespaced'> = defineResource<Notice>({ ...names, version: 'v1' })

/** Notices as the releases before had them. */
export const noticesV1beta1: Resource<NoticeV1beta1, 'namespaced'> = defineResource<NoticeV1beta1>({
  ...names,
  version: 'v1beta1',
})
