import { Client as SimulatedClient } from './grpc-client.ts';
import { Server as SimulatedServer } from './grpc-server.ts';
import { Metadata as SimulatedMetadata, status as codes } from './grpc-values.ts';

/**
 * Stands in the place of `@grpc/grpc-js` in a simulation: what the channel of replication imports
 * from there.
 */
export const Client = SimulatedClient;
export const Server = SimulatedServer;
export const Metadata = SimulatedMetadata;
export const status = codes;
export const credentials = { createInsecure: (): object => ({}) };
export const ServerCredentials = { createInsecure: (): object => ({}) };
