import type { Flow } from '../flow.ts'

/** A line for each manager, which are sorted by time on a server: how many are of one second is chance. */
const managersOfOne =
  '{range .metadata.managedFields[*]}{"\\n"}* {.manager} {.operation} {.subresource} {.apiVersion} {.fieldsV1}{end}{"\\n"}'
const managers = `{range .items[*]}{.metadata.name}${managersOfOne}{end}`

/** Changes in place, and deletions. */
export const changeFlows: readonly Flow[] = [
  {
    name: 'change',
    commands: [
      'apply -f settings.yaml -f web.yaml -f database.yaml -f pod.yaml',
      'label configmap settings a=b',
      'label configmap settings a=c',
      'label configmap settings a=c --overwrite',
      'label configmap settings a-',
      'label configmap settings nothing-',
      'label pods --all x=y',
      "label configmap settings 'a=not valid'",
      'annotate configmap settings note=hello',
      'annotate configmap settings note-',
      'patch configmap settings -p \'{"data":{"colour":"green"}}\'',
      'patch configmap settings --type=merge -p \'{"data":{"size":null}}\'',
      'patch configmap settings --type=json -p \'[{"op":"add","path":"/data/k","value":"v"}]\'',
      'patch configmap settings --type=json -p \'[{"op":"test","path":"/data/k","value":"w"}]\'',
      'patch configmap settings --type=json -p \'[{"op":"remove","path":"/data/nothing"}]\'',
      'patch configmap settings -p \'{"data":{"colour":"green"}}\'',
      'patch configmap settings -p \'{"data":1}\'',
      'patch configmap settings -p nonsense',
      'patch configmap nobody -p {}',
      'patch deployment web -p \'{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1.28"}]}}}}\'',
      'patch deployment web -p \'{"spec":{"selector":{"matchLabels":{"app":"x"}}}}\'',
      'patch deployment web -p \'{"spec":{"replcas":3}}\'',
      'patch pod worker -p \'{"spec":{"nodeName":"a"}}\'',
      'get deployment web -o yaml',
      'scale deployment web --replicas=4',
      'scale deployment/web statefulset/database --replicas=1',
      'scale deployment web --replicas=2 --current-replicas=7',
      'scale deployment web --replicas=-1',
      'scale deployment nobody --replicas=1',
      'scale configmap settings --replicas=1',
      { args: 'edit configmap settings', edit: 's/green/yellow/' },
      { args: 'edit configmap settings', edit: 's/nothing/at-all/' },
      { args: 'edit deployment web', edit: 's/replicas:.*/replicas:\\ 7/' },
      'get configmap settings -o yaml',
      'get deployment,statefulset',
    ],
  },
  {
    name: 'managers',
    commands: [
      'apply -f settings.yaml -f web.yaml -f pod.yaml',
      'create configmap made --from-literal=a=b',
      ...[
        'label configmap settings made a=b',
        'annotate configmap settings made note=hello',
        'label configmap settings made a=c --overwrite',
        'label configmap settings made b=d --field-manager=someone',
        'annotate configmap settings made note=bye --overwrite --field-manager=someone',
        'label configmap settings a=c',
        'label configmap settings b-',
        'annotate configmap settings note-',
        'label deployment web a=b',
        'annotate deployment web note=hello',
        'scale deployment web --replicas=3',
        'label pod worker a=b',
        'annotate pod worker kubernetes.io/description=x',
        'apply -f settings.yaml',
        'label -f settings.yaml x=y',
        'apply --server-side -f settings.yaml --force-conflicts',
        'label configmap settings x=z --overwrite',
        'apply --server-side -f settings.yaml --field-manager=other',
        'annotate configmap settings --all-namespaces note=x --dry-run=server',
      ].flatMap(command => [command, `get cm/settings cm/made deployment/web pod/worker -o jsonpath='${managers}'`]),
      'label namespace managers a=b',
      'annotate namespace managers note=hello',
      `get namespace managers -o jsonpath='{.metadata.name}${managersOfOne}'`,
    ],
  },
  {
    name: 'rollout',
    files: {
      'old.yaml': `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  labels: {app: web, pod-template-hash: "1"}
  annotations: {deployment.kubernetes.io/revision: "1"}
spec:
  replicas: 0
  selector: {matchLabels: {app: web, pod-template-hash: "1"}}
  template:
    metadata: {labels: {app: web, pod-template-hash: "1"}}
    spec: {containers: [{name: nginx, image: "nginx:1.26"}]}
`,
      'new.yaml': `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-2
  labels: {app: web, pod-template-hash: "2"}
  annotations: {deployment.kubernetes.io/revision: "2"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web, pod-template-hash: "2"}}
  template:
    metadata: {labels: {app: web, pod-template-hash: "2"}}
    spec: {containers: [{name: nginx, image: "nginx:1.27"}]}
`,
    },
    commands: [
      'apply -f web.yaml',
      'rollout history deployment/web',
      'rollout undo deployment/web',
      'rollout status deployment/web --timeout=1s',
      { args: 'get deployment web -o jsonpath={.metadata.uid}', save: 'uid' },
      'create -f old.yaml -f new.yaml',
      'patch replicaset web-1 -p \'{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"$uid","controller":true}]}}\'',
      'patch replicaset web-2 -p \'{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"$uid","controller":true}]}}\'',
      'patch deployment web --subresource=status -p \'{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2,"conditions":[{"type":"Available","status":"True"}]}}\'',
      'rollout status deployment/web',
      'get deployment,replicaset',
      'describe deployment web',
      'rollout history deployment/web',
      'rollout history deployment/web --revision=1',
      'rollout undo deployment/web --dry-run=server',
      'rollout undo deployment/web --to-revision=1',
      'rollout undo deployment/web --to-revision=9',
      'get deployment web -o jsonpath={.spec.template.spec.containers[0].image}',
      'rollout pause deployment/web',
      'rollout pause deployment/web',
      'rollout resume deployment/web',
      'rollout restart deployment/web',
      'get deployment web -o jsonpath={.spec.template.metadata.annotations}',
      'rollout status deployment/nobody',
      'rollout restart configmap/settings',
      'delete deployment web --cascade=orphan',
      'get replicasets',
    ],
  },
  {
    name: 'delete',
    files: {
      'owned.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: owned
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: settings, uid: UID}]
`,
    },
    commands: [
      'apply -f settings.yaml -f pod.yaml -f web.yaml -f job.yaml',
      { args: 'get configmap settings -o jsonpath={.metadata.uid}', save: 'uid' },
      { args: 'create configmap owned --from-literal=a=b --dry-run=client -o yaml' },
      {
        args: 'apply -f -',
        stdin: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/wait]}\n',
      },
      'delete configmap held --wait=false',
      'get configmap held -o jsonpath={.metadata.finalizers}',
      'patch configmap held --type=merge -p \'{"metadata":{"finalizers":null}}\'',
      'get configmap held',
      'delete configmap settings --dry-run=server',
      'delete configmap settings --dry-run=client',
      'delete configmap settings --cascade=foreground',
      'delete configmap settings',
      'delete configmap settings --ignore-not-found',
      'delete pod worker --grace-period=0 --force',
      'delete deployment web --cascade=background',
      'delete deployment,service,job --all',
      'delete pods',
      'delete pods -l app=nothing',
      'delete -f settings.yaml',
      'get configmaps,pods,deployments -o name',
    ],
  },
]
