import { Notice } from '../../../ui/notice.tsx';

export function PublicAddressNotice() {
  return (
    <Notice tone="warning">
      The server does not know its public address, so no provider could lead back to it. Start it
      with <code className="font-mono">MSK_PUBLIC_ADDRESS</code>.
    </Notice>
  );
}
