apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  level: {{ .Values.level | quote }}
---
apiVersion: arcade.example.org/v1
kind: Game
metadata:
  name: {{ .Release.Name }}
spec:
  level: {{ .Values.level }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector: { app: arcade }
  ports: [{ port: 80 }]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.level }}
  selector: { matchLabels: { app: arcade } }
  template:
    metadata: { labels: { app: arcade } }
    spec: { containers: [{ name: arcade, image: arcade }] }
