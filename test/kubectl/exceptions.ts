/** Commands that the two servers answer differently, as `FLOW: COMMAND`, and why they do. */
export const exceptions: readonly { readonly why: string; readonly commands: readonly string[] }[] = [
  {
    why: "a real server shows what of a Pod's spec was changed as Go prints its own types",
    commands: [
      'validation: apply -f value.json',
      'create-replace: replace -f pod-changed.json',
      'change: patch pod worker -p \'{"spec":{"nodeName":"a"}}\'',
    ],
  },
  {
    why: 'the embedded server says what it is in its version, and was built by no Go',
    commands: ['get: get --raw /version', 'cluster: version', 'cluster: version -o yaml'],
  },
  {
    why: 'OpenAPI v2 describes no kinds in the embedded server; kubectl asks for v3 unless an option says otherwise',
    commands: ['explain: explain configmap --output=plaintext-openapiv2'],
  },
  {
    why: 'a real server makes these for itself, and asks for the health of programs that are not here',
    commands: ['cluster: get componentstatuses', 'cluster: get apiservices', 'cluster: get flowschemas'],
  },
]
