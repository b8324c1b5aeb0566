package main

import (
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

type etcdOptions struct {
	dataDir    string
	socket     string
	quotaBytes int64
}

// startEtcd starts etcd in this process and waits until it serves. It never syncs its files: a test's data need
// not outlive the machine, and a killed process loses nothing that it had written.
func startEtcd(options etcdOptions) (stop func(), err error) {
	wal.SegmentSizeBytes = 8 << 20 // allocated ahead; 64 MB by default

	config := embed.NewConfig()
	config.Dir = options.dataDir
	config.QuotaBackendBytes = options.quotaBytes
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	config.LogOutputs = []string{"stderr"}
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: options.socket}}
	config.ListenPeerUrls = []url.URL{{Scheme: "unix", Path: options.socket + ".peer"}}
	// Where nobody else is, nobody asks for these; etcd before 3.7 takes no sockets here.
	nowhere := []url.URL{{Scheme: "http", Host: "127.0.0.1:1"}}
	config.AdvertiseClientUrls = nowhere
	config.AdvertisePeerUrls = nowhere
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
		return server.Close, nil
	case err := <-server.Err():
		return nil, err
	}
}
