import { must } from '../server/src/base/assert.ts';
import type { SimulatedNetwork } from './network.ts';
import type { SimulatedProcess } from './process.ts';

/** Networks by the name that ends the addresses in them. */
const networks = new Map<string, SimulatedNetwork>();

/**
 * Processes of the network are then found by `addressOf`; disposed of when the simulation is over.
 */
export function openNetwork(name: string, network: SimulatedNetwork): Disposable {
  networks.set(name, network);
  return { [Symbol.dispose]: () => void networks.delete(name) };
}

/** What `client` calls `host`. */
export function addressOf(network: string, client: SimulatedProcess, host: string): string {
  return `${client.name}.${host}.${network}`;
}

export function findProcess(address: string): {
  readonly network: SimulatedNetwork;
  readonly process: SimulatedProcess;
  readonly host: string;
} {
  const [name = '', host = '', networkName = ''] = address.replace(/:\d+$/, '').split('.');
  const network = must(networks.get(networkName), `network ${networkName}`);
  return { network, process: must(network.processes.get(name), `process ${name}`), host };
}
