type Environment = Readonly<Record<string, string | undefined>>;

/** Where the server sends one signal, and how. */
export interface OtlpEndpoint {
  /** `https` means TLS, `http` does not; gRPC ignores the path. */
  readonly url: string;
  readonly protocol: 'grpc' | 'http/protobuf' | 'http/json';
  /** May hold credentials: never logged, never in a report. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
}

/** As the variables say it: files of TLS are not read yet. */
export interface NamedTarget extends OtlpEndpoint {
  readonly tlsFiles: OtlpTlsFiles;
}

/** A file in PEM, and the variable that names it. */
export interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

export interface OtlpTlsFiles {
  /** The authority that vouches for the receiver, instead of those the system trusts. */
  readonly ca?: NamedFile;
  /** With `key`: how the receiver recognizes the server. Both are set, or neither. */
  readonly certificate?: NamedFile;
  readonly key?: NamedFile;
}

type TraceSampler =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** The standard `OTEL_*` variables (OpenTelemetry specification, "SDK environment variables"). */
export interface TelemetrySettings<Target> {
  /** Null when traces, or metrics, are off. */
  readonly traces: Target | null;
  readonly metrics: Target | null;
  /** Includes `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: TraceSampler;
  /** For samplers by ratio: from 0 to 1. */
  readonly ratio: number;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  readonly spanDelayMs: number;
  readonly spanQueueMax: number;
  readonly spanBatchMax: number;
}

export interface ReadTelemetry {
  /** Null unless an endpoint is set. When null, no OpenTelemetry code is loaded. */
  readonly settings: TelemetrySettings<NamedTarget> | null;
  /** Texts that no line of the log may show. */
  readonly secrets: readonly string[];
  /** The standard says: a value that is not understood counts as not set, with a warning. */
  readonly warnings: readonly string[];
}

type Signal = 'traces' | 'metrics';

const SAMPLERS: readonly TraceSampler[] = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];
const PROTOCOLS: readonly OtlpEndpoint['protocol'][] = ['grpc', 'http/protobuf', 'http/json'];
const COMPRESSIONS: readonly OtlpEndpoint['compression'][] = ['none', 'gzip'];
const SERVICE_NAME = 'trellis';

export function readTelemetry(env: Environment): ReadTelemetry {
  const variables = new Variables(env);
  if (variables.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return off(variables);
  const traces = targetOf(variables, 'traces');
  const metrics = targetOf(variables, 'metrics');
  if (traces === null && metrics === null) return off(variables);
  const settings: TelemetrySettings<NamedTarget> = {
    traces,
    metrics,
    resource: resourceOf(variables),
    sampler: variables.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS) ?? 'parentbased_always_on',
    ratio: variables.ratio('OTEL_TRACES_SAMPLER_ARG') ?? 1,
    metricIntervalMs: variables.count('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000,
    metricTimeoutMs: variables.count('OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000,
    spanDelayMs: variables.count('OTEL_BSP_SCHEDULE_DELAY') ?? 5_000,
    spanQueueMax: variables.count('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048,
    spanBatchMax: variables.count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512,
  };
  const headers = [traces, metrics].flatMap((target) => Object.values(target?.headers ?? {}));
  return { settings, secrets: [...secretsOf(env), ...headers], warnings: variables.warnings };
}

function off({ warnings, env }: Variables): ReadTelemetry {
  return { settings: null, secrets: secretsOf(env), warnings };
}

/** Whole header lists as the environment has them: a message that quotes one must hide it. */
function secretsOf(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    name.startsWith('OTEL_') && name.endsWith('_HEADERS') && value !== '' ? [value] : [],
  );
}

function targetOf(variables: Variables, signal: Signal): NamedTarget | null {
  const own = (name: string): string => `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
  const common = (name: string): string => `OTEL_EXPORTER_OTLP_${name}`;
  const exporter = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  if ((variables.oneOf(exporter, ['otlp', 'none']) ?? 'otlp') === 'none') return null;
  const either = <T>(read: (name: string) => T | undefined, name: string): T | undefined =>
    read(own(name)) ?? read(common(name));
  const protocol =
    either((name) => variables.oneOf(name, PROTOCOLS), 'PROTOCOL') ?? 'http/protobuf';
  const isGrpc = protocol === 'grpc';
  const plain = isGrpc ? (either(variables.isTrue, 'INSECURE') ?? false) : undefined;
  const url =
    variables.url(own('ENDPOINT'), plain) ??
    below(variables.url(common('ENDPOINT'), plain), isGrpc ? '' : `/v1/${signal}`);
  if (url === undefined) return null;
  const fits = isGrpc ? isGrpcMetadata : () => true;
  return {
    url,
    protocol,
    headers: {
      ...variables.pairs(common('HEADERS'), fits),
      ...variables.pairs(own('HEADERS'), fits),
    },
    timeoutMs: either(variables.count, 'TIMEOUT') ?? 10_000,
    compression: either((name) => variables.oneOf(name, COMPRESSIONS), 'COMPRESSION') ?? 'none',
    tlsFiles: {
      ...fileOf('ca', either(variables.file, 'CERTIFICATE')),
      ...fileOf('certificate', either(variables.file, 'CLIENT_CERTIFICATE')),
      ...fileOf('key', either(variables.file, 'CLIENT_KEY')),
    },
  };
}

function fileOf(member: keyof OtlpTlsFiles, file: NamedFile | undefined): OtlpTlsFiles {
  return file === undefined ? {} : { [member]: file };
}

/** The common endpoint is a base; the endpoint of a signal is taken as it is. */
function below(base: string | undefined, path: string): string | undefined {
  return base === undefined ? undefined : `${base.replace(/\/+$/, '')}${path}`;
}

/** Whether gRPC accepts it as text metadata; anything else would end every export. */
function isGrpcMetadata(key: string, value: string): boolean {
  return /^[\w.-]+$/.test(key) && !/-bin$/i.test(key) && /^[ -~]*$/.test(value);
}

function resourceOf(variables: Variables): Record<string, string> {
  const attributes = variables.pairs('OTEL_RESOURCE_ATTRIBUTES');
  const name = variables.text('OTEL_SERVICE_NAME');
  return {
    'service.name': SERVICE_NAME,
    ...attributes,
    ...(name === undefined ? {} : { 'service.name': name }),
  };
}

/** Warnings never quote a value: it may be a secret that belongs in another variable. */
class Variables {
  readonly env: Environment;
  readonly #warned = new Set<string>();

  constructor(env: Environment) {
    this.env = env;
  }

  get warnings(): string[] {
    return [...this.#warned];
  }

  text(name: string): string | undefined {
    const value = (this.env[name] ?? '').trim();
    return value === '' ? undefined : value;
  }

  oneOf<const T extends string>(name: string, known: readonly T[]): T | undefined {
    const given = this.text(name)?.toLowerCase();
    const found = known.find((one) => one === given);
    if (given !== undefined && found === undefined) this.#warn(name, `not ${known.join(', ')}`);
    return found;
  }

  readonly count = (name: string): number | undefined => {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
    return this.#warn(name, 'no whole number from 1 on');
  };

  readonly isTrue = (name: string): boolean | undefined => {
    const given = this.oneOf(name, ['true', 'false']);
    return given === undefined ? undefined : given === 'true';
  };

  readonly file = (name: string): NamedFile | undefined => {
    const path = this.text(name);
    return path === undefined ? undefined : { variable: name, path };
  };

  ratio(name: string): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    const ratio = Number(given);
    return ratio >= 0 && ratio <= 1 ? ratio : this.#warn(name, 'no number from 0 to 1');
  }

  /** `isPlain` is for gRPC: whether an endpoint `host:port` is reached without TLS. */
  url(name: string, isPlain: boolean | undefined): string | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (isPlain !== undefined && /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(given)) {
      return `${isPlain ? 'http' : 'https'}://${given}`;
    }
    const url = URL.parse(given);
    const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
    return isHttp ? given : this.#warn(name, 'no http or https URL');
  }

  /** `key1=value1,key2=value2`, the format of W3C Baggage. */
  pairs(
    name: string,
    fits: (key: string, value: string) => boolean = () => true,
  ): Record<string, string> {
    const pairs: Record<string, string> = {};
    for (const part of (this.text(name) ?? '').split(',')) {
      if (part.trim() === '') continue;
      const at = part.indexOf('=');
      const key = part.slice(0, Math.max(0, at)).trim();
      const value = decoded(part.slice(at + 1).trim());
      if (key === '' || value === undefined) this.#warn(name, 'not a list of key=value');
      else if (fits(key, value)) pairs[key] = value;
      else this.#warn(name, 'not what gRPC can send as metadata');
    }
    return pairs;
  }

  #warn(name: string, problem: string): undefined {
    this.#warned.add(`${name} is ${problem}: it is taken as not set.`);
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
