/// The rules of the Bluetooth specification, in the order in which reports list them.
package enum CoreRules {
    package static let all: [any SpecificationRule.Type] = att + gatt + l2cap + smp + linkLayer + advertising + hci

    private static let att: [any SpecificationRule.Type] = [
        OneRequestAtATime.self, ResponseAnswersRequest.self, OneIndicationAtATime.self,
        ConfirmationAnswersIndication.self, ResponseInTime.self, IndicationConfirmed.self, NothingAfterTimeOut.self,
        MTURequestedOnce.self, ClientMTUIsLegal.self, ServerMTUIsLegal.self, ClientPDUFitsMTU.self,
        ServerPDUFitsMTU.self, ClientPDUIsWellFormed.self, ServerPDUIsWellFormed.self, RangeIsOrdered.self,
        BadRangeIsRefused.self, ListIsInRange.self, ListIsAscending.self, ErrorFitsRequest.self, ErrorNamesHandle.self,
        UnknownRequestIsRefused.self, CommandIsNotAnswered.self, PreparedWriteIsEchoed.self,
        ExecuteFlagsAreLegal.self, ValueIsNotTooLong.self,
    ]

    private static let gatt: [any SpecificationRule.Type] = [
        NotificationIsConfigured.self, IndicationIsConfigured.self, NotifierHasProperty.self,
        IndicatorHasProperty.self, NotificationComesOnce.self, ReadableIsNotRefused.self, WritableIsNotRefused.self,
        UseHasProperty.self, ConfigurationIsLegal.self, ConfigurationFitsProperties.self, HandleExists.self,
        SignedWriteIsPlain.self, ValueFollowsDeclaration.self, NotifierIsConfigurable.self,
        GenericAccessIsComplete.self, GenericAccessIsUnique.self, TableChangeIsIndicated.self, ChangeIsDiscovered.self,
        ServiceChangedIsLegal.self,
    ]

    private static let l2cap: [any SpecificationRule.Type] = [
        OneCommandPerFrame.self, IdentifierIsNotZero.self, SignalAnswersRequest.self,
        ParameterRequestIsOfPeripheral.self, RequestedParametersAreLegal.self, FrameHasCredit.self, FrameFitsMPS.self,
        SDUFitsMTU.self, SDUHasItsLength.self, CreditsDoNotOverflow.self, ChannelRequestIsLegal.self,
        ChannelIsOpen.self, FragmentsHoldOnePDU.self,
    ]

    private static let smp: [any SpecificationRule.Type] = [
        PairingIsBegunByCentral.self, SecurityIsAskedByPeripheral.self, PairingIsInOrder.self, PairingIsInTime.self,
        KeySizeIsLegal.self, FeaturesAreDefined.self, ResponderAddsNoKeys.self, FailureHasReason.self,
        SMPLengthIsRight.self, PublicKeysDiffer.self, KeysAreEncrypted.self, KeysAreAgreed.self, KeysAreInOrder.self,
        AgreedKeysCome.self,
    ]

    private static let linkLayer: [any SpecificationRule.Type] = [
        ParametersAreInRange.self, TimeoutIsLongEnough.self, AccessAddressIsLegal.self, HopIsLegal.self,
        ChannelsAreEnough.self, ControlPDUIsWellFormed.self, ProcedureIsInTime.self, OneProcedureAtATime.self,
        AnswerHasProcedure.self, VersionIsSentOnce.self, DataLengthsAreLegal.self, ControlPDUFitsRole.self,
    ]

    private static let advertising: [any SpecificationRule.Type] = [
        StructuresTile.self, NothingAfterEnd.self, TypesComeOnce.self, ServiceListsComeOnce.self,
        StructuresHaveTheirLength.self, FlagsAreNotInScanResponse.self, DiscoverableModesExclude.self,
        NameIsText.self, ShortNameBeginsLong.self, IntervalRangeIsLegal.self, RandomAddressIsLegal.self,
        NameHasNoNUL.self,
    ]

    private static let hci: [any SpecificationRule.Type] = [
        CommandIsAllowed.self, DisconnectHasReason.self, ScanWindowFitsInterval.self, AdvertisingIntervalIsLegal.self,
        ConnectionTimingIsLegal.self,
    ]
}
