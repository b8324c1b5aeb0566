/** The operation of a request. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** The sender of a request, as the API server has authenticated it. */
export interface AdmissionUser {
  readonly username: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** The fields of the `request` of an AdmissionReview v1 that are read. */
export interface AdmissionRequest {
  readonly uid: string
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string | undefined
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  readonly operation: string
  readonly userInfo?: Partial<AdmissionUser> | undefined
  readonly object?: object | null | undefined
  readonly oldObject?: object | null | undefined
  readonly dryRun?: boolean | undefined
  readonly options?: object | null | undefined
}

/** The user of a request, with missing fields filled in. */
export function userOf({ userInfo = {} }: AdmissionRequest): AdmissionUser {
  const { username = '', uid, groups = [], extra = {} } = userInfo
  return { username, uid, groups, extra }
}
