import { promisify } from 'node:util';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { sendUnaryData, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { ReceivedTelemetry } from './received-telemetry.ts';
import { sendingSoonTo } from './otlp-receiver.ts';

const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const METRICS = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** A receiver of the OpenTelemetry protocol over gRPC that remembers what has come. */
export class OtlpGrpcReceiver extends ReceivedTelemetry implements Disposable {
  /** A status of gRPC to refuse with. */
  refusal = status.OK;
  readonly #server = new Server();
  readonly #scheme: string;
  port = 0;

  private constructor(scheme: string) {
    super();
    this.#scheme = scheme;
  }

  static async start(
    credentials: ServerCredentials = ServerCredentials.createInsecure(),
  ): Promise<OtlpGrpcReceiver> {
    const receiver = new OtlpGrpcReceiver(credentials._isSecure() ? 'https' : 'http');
    const server = receiver.#server;
    const service = { Traces: methodOf(TRACES), Metrics: methodOf(METRICS) };
    server.addService(service, {
      Traces: receiver.#answer(TRACES),
      Metrics: receiver.#answer(METRICS),
    });
    const bind = promisify(server.bindAsync.bind(server));
    receiver.port = (await bind('127.0.0.1:0', credentials)) ?? 0;
    return receiver;
  }

  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  get env(): Readonly<Record<string, string>> {
    const url = `${this.#scheme}://${this.authority}`;
    return { ...sendingSoonTo(url), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  }

  [Symbol.dispose](): void {
    this.#server.forceShutdown();
  }

  #answer(path: string) {
    return (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => {
      const headers = Object.fromEntries(
        Object.entries(call.metadata.getMap()).map(([name, value]) => [name, String(value)]),
      );
      const isTraces = path === TRACES;
      this.take({ path, headers }, { isTraces, isJson: false, bytes: call.request });
      // An empty message says that everything is accepted.
      if (this.refusal === status.OK) reply(null, Buffer.alloc(0));
      else reply({ code: this.refusal, details: 'refused by the test' });
      this.answered();
    };
  }
}

function methodOf(path: string): ServiceDefinition[string] {
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}
