/** The usual ports of databases, queues, consoles and the like: none of them wants events. */
const SERVICE_PORTS: ReadonlySet<number> = new Set([
  1_433, // Microsoft SQL Server
  1_521, // Oracle
  2_049, // NFS
  2_181, // ZooKeeper
  2_375, // Docker
  2_376,
  2_379, // etcd
  2_380,
  3_306, // MySQL
  3_389, // RDP
  4_369, // Erlang
  5_060, // SIP
  5_061,
  5_432, // Postgres
  5_672, // AMQP
  5_900, // VNC
  5_984, // CouchDB
  6_000, // X11
  6_379, // Redis
  6_443, // Kubernetes
  6_667, // IRC
  8_500, // Consul
  9_042, // Cassandra
  9_092, // Kafka
  9_200, // Elasticsearch
  9_300,
  10_250, // Kubernetes
  11_211, // memcached
  15_672, // RabbitMQ
  27_017, // MongoDB
]);

/** Whether a port is known for something else than web servers; 0 is the one that the scheme implies. */
export function isServicePort(port: number): boolean {
  if (port < 1_024) return port !== 0 && port !== 80 && port !== 443;
  return SERVICE_PORTS.has(port);
}
