import { Notice } from '../../../ui/notice.tsx';

export function PublicAddressNotice() {
  return (
    <Notice tone="warning">
      The server does not know its public address, so a provider could not send people back. Start
      it with <code className="font-mono">MSK_PUBLIC_ADDRESS</code>.
    </Notice>
  );
}
