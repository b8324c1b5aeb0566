/** Manifests as a team keeps them in a folder, that several flows use. */
export const manifests: Readonly<Record<string, string>> = {
  'settings.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels:
    app: web
data:
  colour: blue
  size: "3"
`,
  'web.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: nginx
        image: nginx:1.27
        ports:
        - containerPort: 80
        env:
        - name: COLOUR
          valueFrom:
            configMapKeyRef:
              name: settings
              key: colour
        resources:
          requests:
            cpu: 100m
            memory: 64Mi
---
apiVersion: v1
kind: Service
metadata:
  name: web
  labels:
    app: web
spec:
  selector:
    app: web
  ports:
  - name: http
    port: 80
    targetPort: 8080
`,
  'pod.yaml': `apiVersion: v1
kind: Pod
metadata:
  name: worker
  labels:
    app: worker
    tier: back
spec:
  containers:
  - name: main
    image: busybox:1.36
    command: ["sleep", "1000"]
    volumeMounts:
    - name: scratch
      mountPath: /scratch
  volumes:
  - name: scratch
    emptyDir: {}
`,
  'job.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.36
        command: ["true"]
`,
  'cron-job.yaml': `apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers:
          - name: main
            image: busybox:1.36
`,
  'database.yaml': `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: database
spec:
  serviceName: database
  replicas: 3
  selector:
    matchLabels:
      app: database
  template:
    metadata:
      labels:
        app: database
    spec:
      containers:
      - name: postgres
        image: postgres:17
        volumeMounts:
        - name: data
          mountPath: /var/lib/postgresql/data
  volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes: ["ReadWriteOnce"]
      resources:
        requests:
          storage: 1Gi
`,
  'agent.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector:
    matchLabels:
      app: agent
  template:
    metadata:
      labels:
        app: agent
    spec:
      containers:
      - name: agent
        image: agent:1
`,
  'network.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  rules:
  - host: web.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: web
            port:
              name: http
  tls:
  - hosts: ["web.example.com"]
    secretName: web-tls
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: web
spec:
  podSelector:
    matchLabels:
      app: web
  ingress:
  - from:
    - podSelector: {}
    ports:
    - port: 80
`,
  'access.yaml': `apiVersion: v1
kind: ServiceAccount
metadata:
  name: robot
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
rules:
- apiGroups: [""]
  resources: ["pods", "configmaps"]
  verbs: ["get", "list", "watch"]
- apiGroups: ["apps"]
  resources: ["deployments"]
  resourceNames: ["web"]
  verbs: ["patch"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: robot-reads
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: reader
subjects:
- kind: ServiceAccount
  name: robot
`,
  'claim.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: ["ReadWriteOnce"]
  resources:
    requests:
      storage: 1Gi
`,
  'secret.yaml': `apiVersion: v1
kind: Secret
metadata:
  name: password
type: Opaque
stringData:
  user: admin
  password: hunter2
`,
  'scaling.yaml': `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 2
  maxReplicas: 5
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 80
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: web
`,
}

/** The definition of a resource in a group of its own, and an object of it. */
export function gamesOf(group: string): Readonly<Record<string, string>> {
  return {
    'definition.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: games.${group}
spec:
  group: ${group}
  scope: Namespaced
  names:
    plural: games
    singular: game
    kind: Game
    shortNames: ["gm"]
    categories: ["all"]
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.seats
        statusReplicasPath: .status.seats
    additionalPrinterColumns:
    - name: Seats
      type: integer
      jsonPath: .spec.seats
    - name: Ready
      type: string
      jsonPath: .status.conditions[?(@.type=="Ready")].status
    - name: Age
      type: date
      jsonPath: .metadata.creationTimestamp
    schema:
      openAPIV3Schema:
        description: A game that people play.
        type: object
        required: ["spec"]
        properties:
          spec:
            description: What the game is to be.
            type: object
            required: ["title"]
            properties:
              title:
                description: What players call it.
                type: string
                minLength: 2
              seats:
                description: How many may play.
                type: integer
                minimum: 1
                maximum: 8
                default: 4
              mode:
                type: string
                enum: ["open", "closed"]
              players:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: ["name"]
                items:
                  type: object
                  required: ["name"]
                  properties:
                    name:
                      type: string
                    score:
                      type: integer
          status:
            type: object
            properties:
              seats:
                type: integer
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type:
                      type: string
                    status:
                      type: string
`,
    'chess.yaml': `apiVersion: ${group}/v1
kind: Game
metadata:
  name: chess
spec:
  title: Chess
  seats: 2
`,
  }
}
