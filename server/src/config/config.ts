import type { BackupTargetValue, LogLevel } from './parsers.ts';

/** The settings, checked and with defaults filled in; nothing in it is secret. Paths may be relative to the start folder. */
export interface Config {
  readonly role: 'primary' | 'replica';
  readonly http: {
    readonly host: string;
    /** 0 is any free port. */
    readonly port: number;
    /** Origins such as `https://app.example.com`; on a replica that of its primary is among them. */
    readonly corsOrigins: readonly string[];
    readonly useHsts: boolean;
    readonly redirectToHttps: boolean;
    /** Addresses and networks that are believed who the client is. */
    readonly trustedProxies: readonly string[];
  };
  /** URLs without a slash at the end. */
  readonly publicAddress: string | null;
  /** For calls between primary and replica; null also when it was set to nothing on purpose. */
  readonly serverAddress: string | null;
  readonly storageFolder: string;
  readonly backup: {
    /** Null where backups have no place. */
    readonly target: BackupTargetValue | null;
    /** Of a target in a store of objects; an endpoint of null is that of AWS. */
    readonly s3: { readonly endpoint: string | null; readonly region: string };
    /** Which backups stay: so many of the newest, and the newest of so many days and weeks. */
    readonly keep: { readonly last: number; readonly days: number; readonly weeks: number };
  };
  readonly lowMemory: boolean;
  /** Budget of the search index; null where nothing is said. */
  readonly searchMemoryMb: number | null;
  /** Threads that build the search index; null where nothing is said. */
  readonly searchBuildThreads: number | null;
  readonly replication: {
    /** That a primary listens on. */
    readonly host: string;
    readonly port: number;
    /** Of the primary to follow; null on a primary. */
    readonly primaryAddress: string | null;
  };
  readonly log: { readonly level: LogLevel; readonly folder: string | null };
  /** PEM text, or the path of a file that holds it. */
  readonly licensePublicKey: string | null;
  readonly sampleGraph: 'wordnet' | 'none';
  /** Null is the built-in one. */
  readonly frontEndFolder: string | null;
}

/** Handed only to the parts that use them; never logged, never in a report. */
export interface Secrets {
  readonly jwtKey: string | null;
  readonly graphMasterKey: string | null;
  readonly adminPassword: string | null;
  readonly backupAccessKey: string | null;
  readonly backupSecretKey: string | null;
  readonly smtpUrl: string | null;
  readonly license: string | null;
}
